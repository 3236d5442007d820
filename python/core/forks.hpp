// Forks of this process. A child has the memory of its parent but none of its threads, so that waiting for one of them
// would never end.
#pragma once

namespace stiction::python {

/// The number of forks between the first process that loaded this module and this one: another number than that of an
/// object's making means that its threads are in another process.
int forks();

}  // namespace stiction::python
