//! `cargo xtask test-ops`: what an operator does, on clean Debian machines that systemd-nspawn boots: the package from its
//! installation to the first document, its upgrade and removal, every code block of `docs/operacao.md`, its tables of
//! faults, and a restore on another machine. The tests are in `e2e/ops/`. It takes several minutes, as root.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::{
    dist, prerequisites,
    process::{self, command, repository_root},
    server_build::{self, Profile},
    service_programs,
};

/// Packages of the clean machine, beside those of a minimal Debian. The tests install the portal without a network.
const PACKAGES: &str =
    "systemd-sysv,ca-certificates,curl,faketime,nginx-light,openssl,postgresql,strace";

/// `arguments` are names of tests, after `--binary FILE`, a server that is built already. Without it the release is built.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let python = prerequisites::install_machine_tools()?;
    let folder = repository_root().join("target/ops");
    fs::create_dir_all(&folder).with_context(|| format!("cannot write {}", folder.display()))?;
    let (target, filters) = match arguments {
        ["--binary", binary, filters @ ..] => (stage(Path::new(binary), &folder)?, filters),
        filters => {
            server_build::build(Profile::Release)?;
            (repository_root().join("target"), filters)
        }
    };
    let base = clean_root(&folder)?;
    // An earlier run that was killed may have left machines.
    let machines = folder.join("machines");
    if machines.exists() {
        fs::remove_dir_all(&machines)?;
    }
    fs::create_dir(&machines)?;
    let packages = ["1", "2"].map(|revision| build_package(&target, revision, &folder));
    let [package, next_package] = packages;

    let mut tests = command(python, &["-m", "unittest", "--verbose"]);
    let filters = filters.iter().flat_map(|filter| ["-k", filter]);
    tests.args(filters).current_dir(repository_root().join("e2e/ops"));
    tests.env("PATH", service_programs::path()?).env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("OPS_BASE", base).env("OPS_PACKAGE", package?).env("OPS_NEXT_PACKAGE", next_package?);
    process::run(&mut tests)
}

/// Puts a program where a release build would be. Returns the target directory.
fn stage(binary: &Path, folder: &Path) -> Result<PathBuf> {
    let target = folder.join("target");
    fs::create_dir_all(target.join("release"))?;
    fs::copy(binary, target.join("release/portaria"))
        .with_context(|| format!("cannot copy {}", binary.display()))?;
    Ok(target)
}

/// Builds a package and returns its path.
fn build_package(target: &Path, revision: &str, folder: &Path) -> Result<PathBuf> {
    let output = folder.join(format!("package-{revision}"));
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    fs::create_dir_all(&output)?;
    dist::debian_package(target, revision, &output)?;
    let file = fs::read_dir(&output)?.next().context("cargo-deb wrote no package")??;
    Ok(file.path())
}

/// The root of a clean machine with this machine's release of Debian, from the mirror that apt uses. It is created once.
fn clean_root(folder: &Path) -> Result<PathBuf> {
    let root = folder.join("debian");
    let marker = folder.join("debian.packages");
    if fs::read_to_string(&marker).is_ok_and(|packages| packages == PACKAGES) {
        return Ok(root);
    }
    let (suite, mirror) = debian_mirror()?;
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    let include = format!("--include={PACKAGES}");
    let mut create = command("debootstrap", &["--variant=minbase", &include, &suite]);
    process::run(create.arg(&root).arg(mirror))?;
    fs::write(marker, PACKAGES)?;
    Ok(root)
}

/// The name of this machine's release, and the address of its packages.
fn debian_mirror() -> Result<(String, String)> {
    let format = ["indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"];
    let listed = prerequisites::output_of("apt-get", &format).context("apt lists no mirrors")?;
    let release = fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?;
    let suite = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let suite = suite.context("/etc/os-release has no VERSION_CODENAME")?;
    let mirror = listed.lines().find_map(|line| line.strip_prefix(suite)?.strip_prefix(' '));
    match mirror {
        Some(mirror) => Ok((suite.to_owned(), mirror.to_owned())),
        None => bail!("apt has no mirror of {suite}."),
    }
}
