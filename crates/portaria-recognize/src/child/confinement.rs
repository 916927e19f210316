//! Limits that a child sets for itself before it reads a file.

use rustix::io::Result;
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::child::Limits;

/// The limits that took effect. The parent logs it when one is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Confinement {
    /// Memory, processor time, and no files.
    pub has_resource_limits: bool,
    /// No network, files or programs. It needs Linux on x86-64 or ARM64.
    pub has_system_call_filter: bool,
}

impl Confinement {
    /// Returns whether every limit took effect.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.has_resource_limits && self.has_system_call_filter
    }
}

/// Limits memory and processor time, and forbids new descriptors, files with content and core dumps.
pub(super) fn limit_resources(limits: &Limits) -> Result<()> {
    let set = |resource, value| {
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
    };
    set(Resource::As, limits.memory_bytes)?;
    set(Resource::Cpu, limits.processor_time.as_secs().max(1))?;
    set(Resource::Fsize, 0)?;
    set(Resource::Core, 0)?;
    // Standard input, output and error stay open.
    set(Resource::Nofile, 3)
}

/// Allows only system calls for memory, time, and the open descriptors. Others fail with `EPERM`: there is no network,
/// no file, and no other program. Returns whether the kernel applies the filter.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn filter_system_calls() -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

    const ALLOWED: [libc::c_long; 27] = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_tgkill,
        libc::SYS_tkill,
        libc::SYS_sigaltstack,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_restart_syscall,
        libc::SYS_nanosleep,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let forbidden =
        SeccompAction::Errno(u32::try_from(libc::EPERM).expect("error numbers are positive"));
    let rules = ALLOWED.into_iter().map(|call| (call, Vec::new())).collect();
    let filter: Option<BpfProgram> = TargetArch::try_from(std::env::consts::ARCH)
        .ok()
        .and_then(|arch| SeccompFilter::new(rules, forbidden, SeccompAction::Allow, arch).ok())
        .and_then(|filter| filter.try_into().ok());
    filter.is_some_and(|filter| seccompiler::apply_filter(&filter).is_ok())
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn filter_system_calls() -> bool {
    false
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use std::fs::File;
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::process::Command;

    use super::filter_system_calls;

    #[test]
    fn the_unit_of_the_service_permits_a_reader_to_filter_its_system_calls() {
        let unit = include_str!("../../../../packaging/debian/portaria.service");
        let filter = unit.lines().find_map(|line| line.strip_prefix("SystemCallFilter=")).unwrap();
        assert!(filter.split_whitespace().any(|permitted| permitted == "seccomp"), "{filter}");
    }

    #[test]
    fn filter_forbids_network_files_and_programs() {
        // The filter applies to the calling thread.
        let errors = std::thread::spawn(|| {
            assert!(filter_system_calls());
            [
                TcpListener::bind("127.0.0.1:0").map(drop),
                File::open("/etc/hosts").map(drop),
                Command::new("/bin/true").spawn().map(drop),
            ]
            .map(|result| result.unwrap_err().kind())
        });
        assert_eq!(errors.join().unwrap(), [ErrorKind::PermissionDenied; 3]);
    }
}
