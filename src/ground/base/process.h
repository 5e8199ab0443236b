#pragma once
// What outlives nobody: the processes and the temporary files of a run end with it, whichever way it ends.
//
// A run is a tree of processes: the one that a person started, those that it forks to work for it, and programs of
// others (compilers, solvers; child.h). All of it has one scratch folder, $TMPDIR/fencepost-scratch-PID-RANDOM, named
// by the first process and made when somebody needs it.
//
// Laws. (1) A process that ends, by exit or by SIGTERM, SIGINT or SIGHUP, has ended its children and removed the
// folder. (2) A process that is killed (SIGKILL) takes its children with it: each asks the kernel for a signal at its
// parent's end (PR_SET_PDEATHSIG), and looks whether the parent has ended before the asking. (3) What such a run left
// in the folder is swept by the next run that needs a folder: one whose process is gone and whose lock nobody holds.
//
// Globals, against the house's rule: a handler of signals has no other way to know what to end.
// The signal of law 2 comes when the *thread* that forked ends, so a thread waits for the children that it starts.
#include <sys/types.h>

#include <string>

namespace fencepost {

// Law 1 for the signals; one that is ignored stays ignored (nohup). Called once, by `main`.
void clean_up_at_signals();

// Ends the process at the first allocation that fails, from before `main` on: children and folder go as at a signal,
// the status is 3, and a sentence says why. A worker (cli/worker.h) has a way of its own, so that its parent answers.
void give_up_without_memory();

// The environment's variable by which copies of this room in one process agree on the folder; not for other programs.
inline constexpr const char* k_scratch_variable = "FENCEPOST_SCRATCH";

// Before a fork whose child may need a scratch folder: then both know the name.
void name_scratch();
// In a child, first: law 2. `parent` is the parent's getpid() before the fork. Ends the child if the parent is gone.
void end_with_parent(pid_t parent, int signal);

// A child that is to end before this process does, until `discharge` says that it has ended. `group`: with its process
// group.
void charge(pid_t child, bool group);
void discharge(pid_t child);

// The path of a new folder in the scratch folder of this run, or "".
std::string new_scratch_folder();
// Removes a folder with all in it, from a handler of signals as well. False: something is left.
bool remove_tree(const char* path);

}  // namespace fencepost
