// SPDX-License-Identifier: MIT
//
// Written by oracle.py with NumPy 2.4.6, SciPy 1.17.1, Python 3.11.7.
// Do not edit: run the script again.
#pragma once

#include <array>

// clang-format off
namespace oracle {

inline constexpr std::array<double, 25> kTimes{991.4, 1006.0, 1004.0, 1024.2, 987.3, 975.6, 994.0, 1024.2, 999.9, 993.6, 990.0, 1100.0, 1002.2, 984.7, 989.3, 1000.2, 1025.8, 980.1, 1011.6, 1009.8, 987.1, 1003.0, 993.8, 999.5, 1005.0};
inline constexpr std::array<double, 10> kSlower{0.027467, 0.015289, 0.029094, 0.018354, 0.020766, 0.011407, 0.015772, 0.02584, 0.017727, 0.021497};
inline constexpr std::array<double, 16> kNearZero{0.005597, 0.001951, -0.002103, 0.000373, -0.001475, 0.002072, 0.002769, 0.00083, 0.002541, -0.005183, -0.004268, -0.002662, -0.001539, 0.006027, 0.001309, -0.003418};
inline constexpr std::array<double, 16> kLopsided{-0.00109, -0.002115, -0.004428, 0.002236, 0.029710999999999998, -0.000946, -0.001221, -0.00093, 0.000387, 0.040358, -0.001534, -0.000906, 0.003293, 0.00026, -0.00035, -0.000972};
inline constexpr std::array<double, 8> kPValues{0.01, 0.0004, 0.03, 0.04, 0.2, 0.04, 0.9, 0.005};
inline constexpr std::array<double, 240> kSeries{0.2905, 0.4586, 0.8672, 0.6446, 2.2775, 1.1933, 2.0574, 1.0642, 1.19, 1.2146, 1.733, 1.5568, 1.152, 1.2991, 0.4679, 0.4793, 0.994, 2.1147, 0.9298, 1.3983, 2.1141, 1.0664, 0.6304, 0.6562, 0.6004, 1.1807, 1.4064, 0.6831, 0.5861, 1.2185, 2.2513, 0.616, 0.8046, 0.6399, 1.0879, 0.898, 1.3511, 0.8452, 0.9828, 1.6539, 1.3293, 0.9919, 1.0555, 0.8203, 0.699, 1.0321, 0.8124, 0.9668, 0.7115, 2.3521, 1.2626, 1.7367, 1.1798, 1.3182, 0.651, 0.7213, 0.6923, 0.5828, 1.4954, 1.7068, 0.5384, 0.476, 0.2986, 0.7978, 0.8546, 0.8421, 0.9678, 0.9102, 0.6696, 0.6566, 0.9488, 0.6034, 0.5642, 0.6662, 0.6478, 0.4769, 0.676, 0.769, 0.5926, 0.7136, 0.2498, 0.2546, 0.5349, 0.4679, 1.2265, 1.7712, 1.0691, 0.8658, 1.7449, 0.8417, 1.13, 0.6814, 0.7471, 0.3302, 0.6381, 0.874, 1.1215, 1.1895, 2.6726, 1.8148, 1.8402, 2.6122, 1.9932, 1.5517, 0.9351, 0.8651, 0.5566, 0.2607, 0.631, 2.0288, 2.3234, 1.6084, 0.7103, 0.6059, 0.7771, 0.4547, 0.6593, 1.0944, 0.5666, 1.3878, 1.1999, 0.5023, 0.7216, 0.9247, 0.8997, 0.6322, 0.2577, 0.1996, 0.2653, 0.4337, 0.3471, 0.5834, 1.3898, 2.4033, 1.5279, 0.5487, 1.4571, 1.5203, 1.0203, 0.9297, 0.7893, 2.148, 1.0966, 1.1191, 1.1461, 2.4365, 2.2341, 1.3779, 1.8681, 0.8681, 0.4355, 0.8877, 0.9591, 1.457, 0.9003, 2.0277, 0.8257, 1.6003, 1.1655, 0.6518, 0.5732, 1.1302, 0.8782, 0.9387, 1.0453, 0.9491, 1.3799, 1.3881, 0.5139, 0.469, 0.4686, 0.4148, 0.8127, 0.9275, 0.7487, 0.6163, 0.4745, 0.7542, 1.3877, 0.9082, 0.4666, 1.2751, 1.6313, 0.81, 1.5948, 1.1515, 1.2671, 0.9122, 0.4711, 1.2957, 0.9166, 1.5593, 1.0195, 0.7828, 0.9712, 1.0297, 1.0861, 0.834, 0.432, 0.7913, 0.4556, 0.8319, 1.7516, 0.9303, 1.0094, 1.1542, 0.7934, 2.3102, 1.2827, 0.7222, 0.7695, 0.7481, 0.9693, 0.6726, 1.3334, 1.4383, 0.9236, 1.6846, 2.0028, 0.8897, 0.9686, 0.8857, 0.6371, 0.601, 0.4677, 0.6812, 0.434, 0.6831, 0.8525, 0.5652, 0.9975, 0.7985, 0.9459, 1.1279, 1.0814, 0.977, 1.2895, 0.5203, 0.3745, 0.4363};

inline constexpr double kMean = 1003.2919999999999;
inline constexpr double kMedian = 999.9;
inline constexpr double kStandardDeviation = 24.017995336830257;
inline constexpr double kMad = 9.899999999999977;
inline constexpr double kTrimmedMean = 1000.0380952380953;
inline constexpr double kGeometricMean = 1003.0268434768943;
inline constexpr std::array<double, 8> kProbabilities{0.0, 0.05, 0.25, 0.3333333333333333, 0.5, 0.9, 0.95, 1.0};
inline constexpr std::array<double, 8> kQuantiles{975.6, 981.02, 990.0, 993.6, 999.9, 1024.2, 1025.48, 1100.0};
inline constexpr double kHodgesLehmann = 999.55;
inline constexpr std::array<double, 2> kDoubleMad{9.899999999999977, 6.100000000000023};
inline constexpr std::array<double, 3> kHarrellDavis{983.0791301113977, 999.0272314881545, 1063.1239116791076};

inline constexpr std::array<double, 4> kTQuantiles{2.364624251592784, 2.946712883475238, 3.8304860233645677, -1.3763819204711736};
inline constexpr std::array<double, 2> kHalfWidthAfter8And64{2.1007235949755634, 0.43995180437157855};
inline constexpr std::array<double, 2> kResolvableAfter8And64{2.573773067772041, 0.5484274837387497};
inline constexpr std::array<double, 2> kTInterval95{0.016217820953994117, 0.024424779046005877};
inline constexpr std::array<double, 2> kTInterval99{0.014426204704590558, 0.026216395295409436};
inline constexpr double kPAboveOnePercent = 0.00014904882717529686;
inline constexpr double kPBelowThreePercent = 0.00023558129620595623;
inline constexpr std::array<double, 2> kVerdictInterval99{0.010463731035062287, 0.030178868964937707};
inline constexpr double kLevelAboveOnePercent = 0.007930061366579323;
inline constexpr double kLevelEquivalent = 0.0026443744390286985;
inline constexpr double kPEquivalent = 3.360745310142039e-05;

inline constexpr double kSignFlipSlower = 0.046875;
inline constexpr double kSignFlipNearZero = 0.175933837890625;
inline constexpr double kSkewLopsided = 2.2913956163520366;
inline constexpr double kSkewLopsidedFirstTen = 1.552189094720986;
inline constexpr double kSkewPLopsidedFirstTen = 0.203125;
inline constexpr double kSkewPSlower = 0.685546875;

inline constexpr std::array<double, 8> kBenjaminiHochberg{0.026666666666666665, 0.0032, 0.05333333333333333, 0.05333333333333333, 0.22857142857142856, 0.05333333333333333, 0.9, 0.02};
inline constexpr std::array<double, 2> kClopperPearsonNone{0.0, 0.16843347098308548};
inline constexpr std::array<double, 2> kClopperPearsonSome{0.1539092047845412, 0.5921885345328283};
inline constexpr std::array<double, 2> kClopperPearsonAll{0.8315665290169145, 1.0};

inline constexpr std::array<double, 6> kAutocorrelation{1.0, 0.3917052933826241, 0.18605560325571632, 0.07866247495397946, 0.010451436697241702, -0.0667815989417946};
inline constexpr double kEffectiveSampleSize = 103.76822446503115;
inline constexpr std::array<double, 4> kQuantileIntervalMedian{0.9092, 0.8127, 0.9828, 117.07317073170732};
inline constexpr std::array<double, 4> kQuantileInterval70{1.1526599999999998, 0.977, 1.3779, 129.06530089628677};

}  // namespace oracle
// clang-format on
