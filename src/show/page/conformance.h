#pragma once
// A certification (judge/certification.h) for people and for test reports: one HTML page like page.h's, the grade
// first, then what it rests on; and JUnit's XML, in which only a test that passed and is not silent is a plain pass. A
// test that is silent passes with a note, one that the device does not support is skipped, one that is open or lost is
// an error. An INCOMPLETE whole has an error of its own, so that no reader of the counts sees a pass.
#include <string>

#include "judge/certification.h"

namespace fencepost::page {

std::string html(const judge::Certification& c);
std::string junit(const judge::Certification& c);

}  // namespace fencepost::page
