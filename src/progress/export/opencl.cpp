// OpenCL C, and one host program for all exported kernels. The runner learns each kernel's launch from "//! run" lines,
// so that a .cl file is complete by itself.
#include <fmt/format.h>

#include "export/plan.h"

namespace fencepost::exports {
namespace {

std::string scoped(std::string_view call, Order order, bool load) {
  std::string_view o = "memory_order_relaxed";
  if (order == Order::acq_rel) o = load ? "memory_order_acquire" : "memory_order_acq_rel";
  if (order == Order::seq_cst) o = "memory_order_seq_cst";
  return fmt::format("{}, {}, memory_scope_device)", call, o);
}

constexpr std::string_view k_runner =
    R"(// Runs kernels that `fencepost progress export --target opencl` wrote, on one OpenCL device.
//
// Build: cc -O2 progress_runner.c -o progress_runner -lOpenCL
// Run:   ./progress_runner FILE.cl... [--runs N] [--seconds S] [--test NAME] [--device I]
//        ./progress_runner FILE.cl... --build-only     compiles for the device, runs nothing
//        ./progress_runner --list                      names the devices
//
// Every "//! run" line of a file names a kernel, how many invocations to launch, the workgroup's size, the words of a location and
// the initial value of each location. A run has ended when the kernel is complete and its counter equals the number launched.
// Exit code: 0 when every run ended, 1 when one timed out or counted wrong, 2 when used wrongly or without a device.
// The device is used in a child process: a kernel that never ends is left behind with its child. Where the driver cannot
// get rid of it, this program hangs as well: run it under an outer limit (timeout -k 5 SECONDS ...).
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LOCATIONS = 64 };

typedef struct {
  char name[128];
  unsigned total, workgroup, words, locations, initial[MAX_LOCATIONS];
} Test;

typedef struct {
  unsigned next, failed;
} Progress;

typedef struct {
  unsigned runs, seconds, device, build_only;
  const char* only;
} Arguments;

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "progress_runner: %s%s%s\n", what, *detail ? ": " : "", detail);
  fflush(stdout);
  _exit(2);
}

static void check(cl_int code, const char* call) {
  char number[32];
  if (code == CL_SUCCESS) return;
  snprintf(number, sizeof number, "error %d", (int)code);
  fail(call, number);
}

static char* read_all(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) fail(path, strerror(errno));
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char* text = malloc((size_t)size + 1);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) fail(path, "cannot be read");
  text[size] = 0;
  fclose(file);
  return text;
}

static unsigned read_tests(const char* text, Test** tests) {
  unsigned count = 0, room = 0;
  for (const char* line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    Test t;
    int used = 0;
    memset(&t, 0, sizeof t);
    if (strncmp(line, "//! run ", 8) != 0) continue;
    if (sscanf(line, "//! run %127[^:]: invocations %u, workgroup %u, words per location %u, initial values%n", t.name, &t.total,
               &t.workgroup, &t.words, &used) != 4 || used == 0)
      fail("a '//! run' line is not as expected", "");
    for (const char* p = line + used; *p == ' ' && t.locations < MAX_LOCATIONS;) {
      char* end = NULL;
      t.initial[t.locations++] = (unsigned)strtoul(p, &end, 10);
      p = end;
    }
    if (count == room) *tests = realloc(*tests, (room = room * 2 + 16) * sizeof **tests);
    (*tests)[count++] = t;
  }
  return count;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cl_device_id choose_device(unsigned wanted, int list) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  unsigned seen = 0;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS || platform_count == 0) fail("there is no OpenCL platform", "");
  for (cl_uint p = 0; p < platform_count && p < 16; ++p) {
    cl_device_id devices[16];
    cl_uint device_count = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count) != CL_SUCCESS) continue;
    for (cl_uint d = 0; d < device_count && d < 16; ++d, ++seen) {
      char name[256] = "";
      clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL);
      if (list) printf("%u %s\n", seen, name);
      else if (seen == wanted) return devices[d];
    }
  }
  if (!list) fail("there is no such device", "see --list");
  return NULL;
}

static void run_tests(const char* text, const Test* tests, unsigned count, Progress* progress, const Arguments* a) {
  cl_int error = CL_SUCCESS;
  cl_device_id device = choose_device(a->device, 0);
  char version[128] = "";
  check(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof version, version, NULL), "clGetDeviceInfo");
  // "OpenCL C 1.2 ..." is also what some 3.0 devices say here: their own version decides.
  char device_version[128] = "";
  check(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof device_version, device_version, NULL), "clGetDeviceInfo");
  const char* standard = strncmp(device_version, "OpenCL 3", 8) == 0   ? "-cl-std=CL3.0"
                         : strncmp(device_version, "OpenCL 2", 8) == 0 ? "-cl-std=CL2.0"
                                                                       : "-cl-std=CL1.2";
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, standard, NULL, NULL) != CL_SUCCESS) {
    static char log[65536];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fail("the kernels do not compile", log);
  }
  for (unsigned i = 0; i < count && a->build_only; ++i) {
    check(clReleaseKernel(clCreateKernel(program, tests[i].name, &error)), tests[i].name);
    printf("%s: compiles\n", tests[i].name);
    progress->next = count;
  }
  for (unsigned i = progress->next; i < count; ++i) {
    const Test* t = &tests[i];
    if (a->only && strcmp(a->only, t->name) != 0) continue;
    const size_t words = (size_t)t->locations * t->words, bytes = (words ? words : 1) * sizeof(cl_uint);
    cl_uint* start = malloc(bytes);
    if (!start) fail("out of memory", "");
    start[0] = 0;
    for (unsigned l = 0; l < t->locations; ++l)
      for (unsigned w = 0; w < t->words; ++w) start[(size_t)l * t->words + w] = t->initial[l];
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem counter = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &error);
    check(error, "clCreateBuffer");
    cl_kernel kernel = clCreateKernel(program, t->name, &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof counter, &counter), "clSetKernelArg");
    unsigned ended_runs = 0;
    for (unsigned run = 1; run <= a->runs; ++run) {
      const cl_uint zero = 0;
      cl_uint counted = 0;
      cl_event done;
      cl_int state = CL_QUEUED;
      const size_t global = t->total, local = t->workgroup;
      check(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, bytes, start, 0, NULL, NULL), "clEnqueueWriteBuffer");
      check(clEnqueueWriteBuffer(queue, counter, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), "clEnqueueWriteBuffer");
      check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &done), "clEnqueueNDRangeKernel");
      check(clFlush(queue), "clFlush");
      const double deadline = now() + a->seconds;
      for (;;) {
        check(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL), "clGetEventInfo");
        if (state < 0) check(state, "the kernel");
        if (state == CL_COMPLETE) break;
        if (now() > deadline) {
          printf("%s: timed out after %u s in run %u\n", t->name, a->seconds, run);
          fflush(stdout);
          ++progress->failed;
          progress->next = i + 1;
          _exit(1);  // the kernel never ends: it dies with this process
        }
        const struct timespec nap = {0, 200000};
        nanosleep(&nap, NULL);
      }
      clReleaseEvent(done);
      check(clEnqueueReadBuffer(queue, counter, CL_TRUE, 0, sizeof counted, &counted, 0, NULL, NULL), "clEnqueueReadBuffer");
      if (counted != t->total) {
        printf("%s: %u of %u ended in run %u, but the kernel is complete\n", t->name, counted, t->total, run);
        break;
      }
      ++ended_runs;
    }
    if (ended_runs == a->runs) printf("%s: all %u ended, %u of %u runs\n", t->name, t->total, a->runs, a->runs);
    else ++progress->failed;
    fflush(stdout);
    clReleaseKernel(kernel);
    clReleaseMemObject(memory);
    clReleaseMemObject(counter);
    free(start);
  }
  progress->next = count;
}

static int usage(void) {
  fprintf(stderr, "usage: progress_runner FILE.cl... [--runs N] [--seconds S] [--test NAME] [--device I] [--build-only] | --list\n");
  return 2;
}

int main(int argc, char** argv) {
  Arguments a = {@RUNS@, @SECONDS@, 0, 0, NULL};
  unsigned tests_run = 0, failed = 0, files = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--list") == 0) {
      choose_device(0, 1);
      return 0;
    }
    if (strcmp(argv[i], "--build-only") == 0) {
      a.build_only = 1;
      continue;
    }
    if (strncmp(argv[i], "--", 2) != 0) {
      ++files;
      continue;
    }
    if (i + 1 == argc) return usage();
    if (strcmp(argv[i], "--runs") == 0) a.runs = (unsigned)strtoul(argv[i + 1], NULL, 10);
    else if (strcmp(argv[i], "--seconds") == 0) a.seconds = (unsigned)strtoul(argv[i + 1], NULL, 10);
    else if (strcmp(argv[i], "--test") == 0) a.only = argv[i + 1];
    else if (strcmp(argv[i], "--device") == 0) a.device = (unsigned)strtoul(argv[i + 1], NULL, 10);
    else return usage();
    ++i;
  }
  if (files == 0 || a.runs == 0 || a.seconds == 0) return usage();
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "--", 2) == 0) {
      i += strcmp(argv[i], "--build-only") != 0;
      continue;
    }
    Test* tests = NULL;
    const char* text = read_all(argv[i]);
    const unsigned count = read_tests(text, &tests);
    for (unsigned t = 0; t < count; ++t) tests_run += !a.only || strcmp(a.only, tests[t].name) == 0;
    Progress* progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) fail("mmap", strerror(errno));
    while (progress->next < count) {
      fflush(stdout);
      const pid_t child = fork();
      if (child < 0) fail("fork", strerror(errno));
      if (child == 0) {
        run_tests(text, tests, count, progress, &a);
        fflush(stdout);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) return 2;
    }
    failed += progress->failed;
  }
  if (tests_run == 0) {
    fprintf(stderr, "progress_runner: no test to run\n");
    return 2;
  }
  printf("%u tests, %u failed\n", tests_run, failed);
  return failed == 0 ? 0 : 1;
}
)";

}  // namespace

std::string print_opencl_runner(const Options& o) {
  std::string out(k_runner);
  const auto put = [&](std::string_view mark, uint32_t n) {
    out.replace(out.find(mark), mark.size(), std::to_string(n));
  };
  put("@RUNS@", o.runs);
  put("@SECONDS@", o.time_out);
  return out;
}

std::string print_opencl(const std::vector<Plan>& plans, const Options& o) {
  const Dialect d;
  std::string out = heading(plans, o);
  out +=
      "//\n// Run it with progress_runner.c, which reads the \"//! run\" lines; or launch the kernels yourself as they "
      "say.\n"
      "// OpenCL C 2.0 or later. ";
  out += o.order == Order::relaxed && o.loads == Loads::add
             ? "Where a device has no scoped atomics, the atomics of OpenCL C 1.2 serve, which are relaxed.\n"
             : "The device must have these orders at device scope.\n";
  for (const auto& p : plans) {
    std::string initial;
    for (const auto& l : p.test->locations) initial += fmt::format(" {}", l.init);
    out += fmt::format("//! run {}: invocations {}, workgroup {}, words per location {}, initial values{}\n", p.name,
                       p.layout.total, o.workgroup, p.words, initial);
  }
  const std::string load = o.loads == Loads::add ? scoped("atomic_fetch_add_explicit(word, 0u", o.order, false)
                                                 : scoped("atomic_load_explicit(word", o.order, true);
  out +=
      "\n#if defined(__opencl_c_atomic_scope_device) || __OPENCL_C_VERSION__ == 200\n"
      "typedef atomic_uint Word;\n"
      "#define exchange(word, value) " +
      scoped("atomic_exchange_explicit(word, value", o.order, false) +
      "\n"
      "#define fetch(word) " +
      load + "\n";
  out += o.order == Order::relaxed && o.loads == Loads::add
             ? "#else\ntypedef uint Word;\n#define exchange(word, value) atomic_xchg(word, value)\n#define fetch(word) "
               "atomic_add(word, 0u)\n#endif\n\n"
             : "#else\n#error \"this test needs atomics of OpenCL C 2.0 at device scope\"\n#endif\n\n";
  out += hybrid_functions(o, d);
  for (const auto& p : plans) {
    const auto used = used_locations(*p.test);
    out += description(p);
    out += fmt::format(
        "kernel void {}(volatile global Word* memory, volatile global uint* counter) {{\n"
        "  const uint gid = (uint)get_global_id(0);\n{}  if (takes_part) {{\n",
        p.name, role(p, d));
    for (size_t l = 0; l < used.size(); ++l)
      if (used[l]) out += fmt::format("    volatile global Word* {} = {};\n", p.locations[l], word_of(p, l));
    out += threads(p, d, 4) + "  }\n  atomic_inc(counter);\n}\n\n";
  }
  return out;
}

}  // namespace fencepost::exports
