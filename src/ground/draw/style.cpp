#include "draw/style.h"

namespace fencepost::draw {

const std::vector<Style>& styles() {
  static const std::vector<Style> list = {
      {"po", "#57606a", "", "po: program order"},
      {"rf", "#116329", "", "rf: the read takes the write's value"},
      {"co", "#953800", "6 3", "co: order of writes to one location"},
      {"fr", "#8250df", "6 3", "fr: the read sees a value older than this write"},
      {"sync", "#0550ae", "", "synchronisation defined by the model"},
      {"step", "#57606a", "", "next step of the schedule"},
      {"other", "#1b7c83", "2 3", "other relation of the model"},
  };
  return list;
}

const Style& style_of(std::string_view name) {
  for (const Style& s : styles())
    if (s.name == name) return s;
  return styles().back();
}

}  // namespace fencepost::draw
