//! What people try who mean no good, and machines that know no better. `rows.txt` numbers it all and names the
//! tests that try it; those that stand nowhere else are here.

mod accounts;
mod tables;

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_row_names_tests_that_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut seen = BTreeSet::new();
    for line in include_str!("rows.txt").lines().filter(|line| !line.starts_with('#')) {
        let [row, _, tests] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(seen.insert(row), "{row} stands there twice");
        for test in tests.split(", ") {
            let (file, name) = test.split_once(' ').unwrap();
            let source = fs::read_to_string(folder.join(file)).unwrap();
            let is_there = [format!(" {name},"), format!("({name},"), format!("fn {name}(")];
            let is_there = is_there.iter().any(|text| source.contains(text.as_str()));
            assert!(is_there, "{row}: {file} holds no test {name}");
        }
    }
}
