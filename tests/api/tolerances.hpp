// The tolerances of this room's tests, and why these values.
#pragma once

namespace stiction::tolerance {

constexpr double kAsked = 1e-9;            // asked of direct solvers [-]
constexpr double kAskedIterative = 1e-6;   // asked of iterative ones [-]
constexpr double kHand = 1e-8;             // against closed forms of size 1: ten times kAsked
constexpr double kHandIterative = 1e-5;    // ten times kAskedIterative
constexpr double kCertificate = 1e-8;      // rounding left in a certificate, relative to its largest entry
constexpr double kComplementarity = 1e-8;  // residual of an answer by a text of the test's own: ten times kAsked
constexpr double kShareConverged = 0.95;   // of random problems, the rest flagged; Coulomb's may have no solution
constexpr double kObjective = 1e-7;        // of two solvers, relative to their size + 1 mJ: a hundred times kAsked
constexpr double kRoundings = 1e-12;       // two sums of the same few hundred numbers
constexpr double kRecordedLcp = 1e-9;      // ‖min(z, w)‖ of recorded LCPs, relative to max(1, ‖q‖), as asked
constexpr double kRecordedNewton = 1e-8;   // natural map of recorded contact problems, as asked
constexpr double kRecordedAdmm = 1e-6;     // the same by admm

}  // namespace stiction::tolerance
