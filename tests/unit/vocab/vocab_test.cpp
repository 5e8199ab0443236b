#include "vocab/vocab.h"

#include <gtest/gtest.h>

#include <set>

using namespace fencepost::vocab;

TEST(Vocab, NamesAreUniqueAndFoundAgain) {
  std::set<std::string> names;
  ASSERT_EQ(tags().size(), k_tags);
  for (const TagInfo& t : tags()) {
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
    EXPECT_EQ(find_tag(t.name), t.tag);
    EXPECT_STREQ(name(t.tag), t.name);
    EXPECT_NE(t.dialects, 0);
    EXPECT_NE(std::string(t.meaning), "");
  }
  ASSERT_EQ(bases().size(), k_bases);
  for (const BaseInfo& b : bases()) {
    EXPECT_TRUE(names.insert(b.name).second) << b.name;
    EXPECT_EQ(find_base(b.name), b.base);
    EXPECT_STREQ(name(b.base), b.name);
  }
  // These belong to cat itself.
  EXPECT_EQ(names.count("M") + names.count("_") + names.count("int_"), 0u);
  EXPECT_EQ(find_base("int"), Base::int_);
  EXPECT_FALSE(find_tag("rf").has_value());
  EXPECT_FALSE(find_base("R").has_value());
  EXPECT_FALSE(find_base("").has_value());
}

TEST(Vocab, WhatAnExecutionChooses) {
  std::set<std::string> chosen;
  for (const BaseInfo& b : bases())
    if (b.kind == BaseKind::existential) chosen.insert(b.name);
  EXPECT_EQ(chosen, (std::set<std::string>{"rf", "co", "sync_fence", "fsc"}));
}

TEST(Vocab, TagSets) {
  TagSet a{Tag::W, Tag::R};
  EXPECT_EQ(to_string(a), "R,W");
  EXPECT_EQ(to_string(TagSet{}), "");
  EXPECT_TRUE((a | TagSet{Tag::SHARED}).has(Tag::SHARED));
  a.remove(Tag::W).remove(Tag::R);
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE((TagSet{Tag::SC}.has(Tag::SC0)));
}

TEST(Vocab, ScopeLevels) {
  for (const Dialect d : {Dialect::ptx, Dialect::vulkan, Dialect::opencl}) {
    const auto names = levels(d);
    for (uint32_t i = 0; i < names.size(); ++i) EXPECT_EQ(level_of(d, names[i]), i);
  }
  EXPECT_EQ(level_of(Dialect::ptx, Tag::CTA), 2u);
  EXPECT_EQ(level_of(Dialect::vulkan, Tag::DV), 0u);
  EXPECT_EQ(level_of(Dialect::opencl, Tag::DV), 1u);
  EXPECT_EQ(level_of(Dialect::opencl, Tag::WI), k_level_thread);
  EXPECT_FALSE(level_of(Dialect::ptx, Tag::WG).has_value());
  EXPECT_FALSE(level_of(Dialect::vulkan, "cta").has_value());
  EXPECT_STREQ(name(Dialect::opencl), "opencl");
}
