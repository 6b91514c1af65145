// SPDX-License-Identifier: MIT
//
// SHA-256 of 4096 elements of each generator and dtype, key 0x1234567890ABCDEF. A difference means
// that records can no longer be verified: the platform is not supported, or the generator changed.
#pragma once

#include <string>

#include "assay/problem/generator.hpp"

namespace assay::test {

struct Golden {
  const char* dtype;
  const char* generator;
  const char* sha256;
};

inline Generator golden_generator(const std::string& name) {
  if (name == "uniform(-1, 1)") return Generator::uniform();
  if (name == "normal(0, 1)") return Generator::normal();
  if (name == "log_uniform(0.001, 1000)") return Generator::log_uniform(0.001, 1000);
  if (name == "arithmetic_pattern") return Generator::arithmetic_pattern();
  return Generator::integers(-100, 100);
}

inline constexpr Golden golden_digests[] = {
    {"f64", "uniform(-1, 1)", "7d097b46dd97ea2e9ea1f2e795292bbe407c553855b3d468e24794b83c0ee0ac"},
    {"f32", "uniform(-1, 1)", "730458edc5981f4a7eba8dfd135172d4004835cb4788748185fc93060ef4ba40"},
    {"f16", "uniform(-1, 1)", "75d65885bd233f453661299f051ea4d8c642995c685daf30d5fb6310e66f3b83"},
    {"bf16", "uniform(-1, 1)", "fdab3c3c471eaa2c7193a631b43164299d01d459bbba2cb381c5b191310ff47c"},
    {"fp8_e4m3", "uniform(-1, 1)",
     "670793c21e446a3d6b3065af7e2228ddf47078cd031112ebc7c54927e5bae8fc"},
    {"fp8_e5m2", "uniform(-1, 1)",
     "ffa4d3292c36cc7bcace75851c382e82e04a308f1ff66173730893d7e7b4aaa2"},
    {"f64", "normal(0, 1)", "c7f25634a5f8d079586ce048b9eb85ec1cc438ac5f2581096a11b42b4ec37428"},
    {"f32", "normal(0, 1)", "a6d775a5c07f60ee91387c4d3abff4c652b2b75fec116d44cfcd81361a49e2b7"},
    {"f16", "normal(0, 1)", "fda693982e88deb12d5991c37942d306d7e005e73799db6d573581921b4e66bb"},
    {"bf16", "normal(0, 1)", "75e6d1a17601586bd585dad3deaf105c6adc3c31c61930a9a1fe621cb9f6b2fe"},
    {"fp8_e4m3", "normal(0, 1)",
     "8165dcc1dddbd82afa63a960ff4373db68f1ab03608118b820105496f2c566ca"},
    {"fp8_e5m2", "normal(0, 1)",
     "913b2aadb4afc8b981b897b06a209eda5ef9123e748e7d04cba47fe1e8313e6e"},
    {"f64", "log_uniform(0.001, 1000)",
     "29bd1207f7152f96a9e8b4393ecd0e9b3bb4367d519bebb8b6841e4f92ab5854"},
    {"f32", "log_uniform(0.001, 1000)",
     "b8ae52de154627d96d01337eef795857a5680ffe0cdb8b8dc869ab98758bc66b"},
    {"f16", "log_uniform(0.001, 1000)",
     "531551f098adc187201081f457a2ffd95ae195d83323ff64f0cbe8c734231b3e"},
    {"bf16", "log_uniform(0.001, 1000)",
     "2dbf8b568036f2e6bb1432bbe4cae1a8bad605b9b48b643f873bec8f1c2c7a72"},
    {"fp8_e4m3", "log_uniform(0.001, 1000)",
     "fd9f48d7f1d052b8942a6ba086cb6a14609dd7aeee62ddad71a6846e9890b13d"},
    {"fp8_e5m2", "log_uniform(0.001, 1000)",
     "27d85d04a2785cbf94f92dfabfaa5a5cfc20742eb9e64edbdc3417b29a151a0a"},
    {"f64", "arithmetic_pattern",
     "aa7b2d39c3bbe643b5a4708ab152f776278eed2cef4ddc46ee2fdd5e73d04e6b"},
    {"f32", "arithmetic_pattern",
     "6ac3df8d1caac4daf1716d2964a37d02c224f30a9e8694346619bf91559c017a"},
    {"f16", "arithmetic_pattern",
     "962b1cc02953b0681b538951e378b9c09fa3b5c6662be4bdc337601d147a6622"},
    {"bf16", "arithmetic_pattern",
     "ea3a5fb1a04999af91517ff63d0e7fa0880866ef8274ddeb763a81e825c69781"},
    {"fp8_e4m3", "arithmetic_pattern",
     "66048ebdd514c62fab490e4cbd13c7fc3d2bde088b37b88be27228eb64a6e3f5"},
    {"fp8_e5m2", "arithmetic_pattern",
     "9c0e4f9253caed76393c4e6de0da781937be64888268fe65027ed3fc219b0ffb"},
    {"f64", "integers(-100, 100)",
     "cc4a921a129517b42422f181182cd699a61f309738e344eb052377763a1e7130"},
    {"f32", "integers(-100, 100)",
     "64edb202104f103a7743277256e46a2623be68d2f8d9f2931850704adc11fffa"},
    {"f16", "integers(-100, 100)",
     "cf50c900c2fef2b161ffb04126b6dcb0aeddeaf7dc6342abf0f15808d895e841"},
    {"bf16", "integers(-100, 100)",
     "c2f979d0ed535600f68b98ba7040a6f12591186a048642ac33bd06929d3c9266"},
    {"i8", "integers(-100, 100)",
     "92568ee3edd5787ead09cf2f39cae938643f9dc3a0f94b9682bd38831a0fca1a"},
    {"i16", "integers(-100, 100)",
     "4779afbb1175bb70750472b358115960afc6f11b334b270a5fb4d4b9a0d42eec"},
    {"i32", "integers(-100, 100)",
     "0960288056cfbe7e4705a38cd1fa3c157f322d55bba418fd5f25877b523cc0f2"},
    {"i64", "integers(-100, 100)",
     "dbfd11436fc259b7aba53ea23815a51847f6075f64e2781c79a43dc18af4bec4"},
    {"u8", "integers(-100, 100)",
     "420029c77e811a43f0713049bdfd0644cb01dee7b61152331976d57125974747"},
    {"u16", "integers(-100, 100)",
     "bf8b14ae8e212b32bc322e3fa500bf1eb7645ce8e38e260d94632177b68755bd"},
    {"u32", "integers(-100, 100)",
     "41c596900c0a30f1e69989fe6c0f00c9003d65254aee7af3b53bba2218ebcb43"},
    {"u64", "integers(-100, 100)",
     "82e3ee3788106a20482ce5cbd21350f9cbd7f36e66f88e1c1cbd602f1afba0e6"},
};

}  // namespace assay::test
