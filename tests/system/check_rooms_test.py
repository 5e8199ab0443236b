"""tools/check_rooms must catch each fault that it promises to catch, and must pass a clean tree."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {
    "src/ROOMS": "# comment\nground/base : \nlang/prog : \nlogic/check : prog\n",
    "src/ground/base/text.h": "#pragma once\n#include <string>\n",
    "src/lang/prog/test.h": '#pragma once\n#include "base/text.h"\nnamespace fencepost::prog {\nstruct Test {};\n}\n',
    "src/logic/check/check.h": '#pragma once\n#include "prog/test.h"\n',
    "src/logic/check/check.cpp": '#include "check/check.h"\n#include <fmt/format.h>\n',
}


class CheckRooms(unittest.TestCase):
    def run_on(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (CLEAN | changes).items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([ROOT / "tools" / "check_rooms", folder], capture_output=True, text=True)
            return done.returncode, done.stderr

    def refused(self, changes, sentence):
        status, text = self.run_on(changes)
        self.assertEqual(status, 1, text)
        self.assertIn(sentence, text)

    def test_clean_tree_passes(self):
        self.assertEqual(self.run_on({}), (0, ""))

    def test_forbidden_include(self):
        self.refused({"src/lang/prog/bad.cpp": '\n#include "check/check.h"\n'},
                     "src/lang/prog/bad.cpp:2: room 'prog' may not include room 'check'")

    def test_base_includes_nothing(self):
        self.refused({"src/ground/base/bad.cpp": '#include "prog/test.h"\n'}, "room 'base' may not include room 'prog'")

    def test_include_without_room(self):
        self.refused({"src/lang/prog/bad.cpp": '#include "test.h"\n'}, 'write "prog/test.h"')

    def test_missing_header(self):
        self.refused({"src/lang/prog/bad.cpp": '#include "prog/none.h"\n'}, 'there is no header "prog/none.h"')

    def test_unknown_room(self):
        self.refused({"src/lang/prog/bad.cpp": '#include "attic/old.h"\n'}, "'attic' is not a room")

    def test_room_on_disk_that_is_not_listed(self):
        self.refused({"src/lang/secret/a.cpp": "int a;\n"}, "src/lang/secret/a.cpp:1: this folder is not a room")

    def test_listed_room_that_does_not_exist(self):
        self.refused({"src/ROOMS": CLEAN["src/ROOMS"] + "cli : prog\n"}, "there is no folder src/cli")

    def test_grant_that_nothing_uses(self):
        self.refused({"src/logic/check/check.h": "#pragma once\n"},
                     "src/ROOMS:4: 'check' may include 'prog', and no file of it does")

    def test_name_that_comes_through_another_room(self):
        rooms = CLEAN["src/ROOMS"] + "cli : check\n"
        files = {"src/ROOMS": rooms, "src/cli/main.cpp": '#include "check/check.h"\n\nfencepost::prog::Test t;\n'}
        self.refused(files, "src/cli/main.cpp:3: names 'prog::', and includes no header of room 'prog'")
        # In comments and literals nothing is named.
        files["src/cli/main.cpp"] = '#include "check/check.h"\n// prog::Test\nconst char* k = "prog::Test";\n'
        self.assertEqual(self.run_on(files), (0, ""))

    def test_name_that_comes_through_a_header_of_the_same_room(self):
        self.assertEqual(self.run_on({"src/logic/check/own.cpp": '#include "check/check.h"\nfencepost::prog::Test t;\n'}), (0, ""))

    def test_cycle_in_the_list(self):
        self.refused({"src/ROOMS": "ground/base : \nlang/prog : check\nlogic/check : prog\n"}, "a cycle or a typo")

    def test_floor_in_two_pieces(self):
        # prog -> draw runs back up: the ground would stand on a floor that stands on it.
        self.refused({"src/ROOMS": "ground/base : \nlang/prog : \nground/draw : prog\nlogic/check : prog\n",
                      "src/ground/draw/draw.h": '#include "prog/test.h"\n'},
                     "src/ROOMS:3: 'draw' stands apart from the other rooms of floor 'ground', above 'lang'")

    def test_cycle_of_includes(self):
        self.refused({"src/ROOMS": "ground/base : \nlang/prog : check\nlogic/check : prog\n",
                      "src/lang/prog/more.h": '#include "check/check.h"\n'}, "rooms include each other in a cycle")

    def test_cycle_of_headers(self):
        self.refused({"src/lang/prog/a.h": '#include "prog/b.h"\n', "src/lang/prog/b.h": '#include "prog/a.h"\n'},
                     "headers include each other in a cycle: prog/a.h -> prog/b.h -> prog/a.h")

    def test_third_party_header_in_a_header_that_others_see(self):
        self.refused({"src/lang/prog/bad.h": "#include <fmt/format.h>\n", "src/lang/prog/more.h": '#include "prog/bad.h"\n',
                      "src/logic/check/see.cpp": '#include "prog/more.h"\n'},
                     "src/lang/prog/bad.h:1: a header that other rooms see shows a third-party library")

    def test_third_party_header_in_a_private_header(self):
        self.assertEqual(self.run_on({"src/lang/prog/own.h": "#include <fmt/format.h>\n",
                                      "src/lang/prog/own.cpp": '#include "prog/own.h"\n'})[0], 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
