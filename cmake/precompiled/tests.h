// As rooms.h, for unit tests.
#include "rooms.h"

#include <sstream>

#include <gtest/gtest.h>
