//! Build of the web app and the server binary.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::{
    npm,
    process::{command, repository_root},
    reproducible,
    steps::{self, OnFailure, Step},
};

/// Name of the step that builds the web app.
pub(crate) const WEB_BUILD: &str = "Web build";
/// Name of the step that compiles [`C_LIBRARIES`].
const C_LIBRARY_BUILD: &str = "C libraries";
/// Name of the step that builds the server.
const SERVER_BUILD: &str = "Server build";

/// The arguments that serve the demo. The file keeps the program from the settings of the machine's own office.
pub(crate) const SERVE_DEMO: &[&str] = &["serve", "--demo", "--config", "portaria.toml"];

/// The packages of the server that compile a C library. Together they take a quarter of a first build.
const C_LIBRARIES: [&str; 3] = ["aws-lc-sys", "libsqlite3-sys", "tikv-jemalloc-sys"];

/// A profile of `Cargo.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Not optimized, and quick to build: for the demo. It reads the web app from the repository when it runs.
    Demo,
    /// With all checks of the compiler at run time: for tests. It reads the web app from the repository when it runs.
    Dev,
    /// As it is delivered: for releases and measurements. Contains the web app.
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }

    /// The directory of the binaries, relative to the repository.
    pub(crate) fn directory(self) -> &'static str {
        match self {
            Self::Demo => "target/demo",
            Self::Dev => "target/debug",
            Self::Release => "target/release",
        }
    }

    /// The path of a binary.
    pub(crate) fn binary(self, name: &str) -> PathBuf {
        repository_root().join(self.directory()).join(name)
    }

    /// The command that builds a package.
    pub(crate) fn build(self, package: &str) -> Command {
        let mut build =
            command("cargo", &["build", "--profile", self.name(), "--package", package]);
        if self == Self::Release {
            reproducible::prepare(&mut build);
        }
        build
    }
}

pub(crate) fn web_build_step() -> Step {
    Step::new(WEB_BUILD, [npm::script(&["build"])]).after(&[npm::INSTALL])
}

/// The build of the server that is delivered, which embeds the web app. Its C libraries are compiled while the web app is
/// built.
fn release_build_steps() -> [Step; 2] {
    let mut libraries = command("cargo", &["build", "--profile", Profile::Release.name()]);
    reproducible::prepare(&mut libraries);
    libraries.args(C_LIBRARIES.iter().flat_map(|package| ["--package", package]));
    let server = Profile::Release.build("portaria");
    [
        Step::new(C_LIBRARY_BUILD, [libraries]),
        Step::new(SERVER_BUILD, [server]).after(&[WEB_BUILD, C_LIBRARY_BUILD]).weight(2),
    ]
}

/// The build of the demo's server, which does not wait for the web app and uses the allocator of the system.
pub(crate) fn demo_build_step() -> Step {
    let mut server = Profile::Demo.build("portaria");
    server.arg("--no-default-features");
    Step::new(SERVER_BUILD, [server])
}

/// Installs the npm packages and builds the web app and the server.
pub(crate) fn build(profile: Profile) -> Result<()> {
    let mut steps = vec![npm::install_step(), web_build_step()];
    match profile {
        Profile::Demo => steps.push(demo_build_step()),
        Profile::Dev => steps.push(Step::new(SERVER_BUILD, [profile.build("portaria")])),
        Profile::Release => steps.extend(release_build_steps()),
    }
    steps::into_result(steps::run(steps, steps::slots(), OnFailure::Stop))
}
