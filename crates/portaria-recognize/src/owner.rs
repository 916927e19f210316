//! The owner of a document: the client whose tax id it names, or a proposal by name.
//!
//! A document with a wrong owner reaches a stranger, so every sign of a second owner is a doubt.

use std::collections::BTreeSet;

use portaria_codes::TaxId;
use serde::{Deserialize, Serialize};

use crate::findings::{Findings, Found, Place, Role, TaxIdWithRole};
use crate::names::{NameText, contains_words, normalize};

/// Minimum similarity of a name and a proposal, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.88;
/// Length of a folded name from which its occurrence in another client's document is a doubt.
const MIN_NAME_LENGTH: usize = 9;
/// The clients of an office.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    pub clients: Vec<Client>,
    /// Tax ids of the office itself. They occur in documents of every client.
    pub own_tax_ids: Vec<TaxId>,
}

/// A client as the search of owners sees it.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    pub names: Vec<String>,
    pub tax_ids: Vec<TaxId>,
    /// Names that people assigned to this client before, such as a trade name or the sender's own abbreviation.
    pub aliases: Vec<String>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OwnerMatch {
    pub certainty: Certainty,
    /// Ids of clients, the most probable first.
    pub candidates: Vec<String>,
    pub doubts: Vec<Doubt>,
    /// Whether the best candidate was found by its name only.
    pub is_by_name: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The document names exactly one client by tax id, and nothing contradicts.
    Certain,
    /// A person must confirm the candidate.
    Doubtful,
    /// No client was found.
    Unknown,
}

/// A reason why a person must look at a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Tax ids of several clients, or one that several clients share.
    SeveralClients,
    /// The name of another client occurs.
    OtherName,
    /// Somebody who is not a client has the owner's part in the document.
    OtherOwner,
    /// Pages without text, or too many pages: they may name another client.
    PagesNotRead,
    /// Only the file name names the client.
    FileNameOnly,
    /// Only a name was found, no tax id.
    NameOnly,
}

impl Directory {
    /// Finds the owner of a document.
    #[must_use]
    pub fn find_owner(&self, file_name: &str, findings: &Findings) -> OwnerMatch {
        let foreign: Vec<_> = findings
            .tax_ids
            .iter()
            .filter(|found| !self.own_tax_ids.contains(&found.value.tax_id))
            .collect();
        let mut clients: BTreeSet<usize> = BTreeSet::new();
        let mut unknown: Vec<&Found<TaxIdWithRole>> = Vec::new();
        for found in foreign {
            let holders = self.holders(&found.value.tax_id);
            if holders.is_empty() {
                unknown.push(found);
            }
            clients.extend(holders);
        }
        let text = NameText::new(file_name, findings);
        let mut doubts = BTreeSet::new();
        if !findings.is_complete {
            doubts.insert(Doubt::PagesNotRead);
        }
        let candidates: Vec<usize> = clients.iter().copied().collect();
        match candidates[..] {
            [] => return self.propose(&text, doubts),
            [client] => {
                if self.has_other_owner(client, findings, &unknown) {
                    doubts.insert(Doubt::OtherOwner);
                }
                if self.is_in_file_name_only(client, findings, &text) {
                    doubts.insert(Doubt::FileNameOnly);
                }
                let others = self.clients.iter().enumerate().filter(|(index, _)| *index != client);
                if others.into_iter().any(|(_, other)| self.names_other(other, client, &text)) {
                    doubts.insert(Doubt::OtherName);
                }
            }
            _ => {
                doubts.insert(Doubt::SeveralClients);
            }
        }
        let mut ranked = candidates;
        ranked.sort_by_key(|client| !self.has_owner_role(*client, findings));
        OwnerMatch {
            certainty: if doubts.is_empty() { Certainty::Certain } else { Certainty::Doubtful },
            candidates: ranked.into_iter().map(|client| self.clients[client].id.clone()).collect(),
            doubts: doubts.into_iter().collect(),
            is_by_name: false,
        }
    }

    /// The clients with a tax id, or else those of the same company: branches share the root of the CNPJ.
    fn holders(&self, tax_id: &TaxId) -> Vec<usize> {
        let holders = |matches: &dyn Fn(&TaxId) -> bool| -> Vec<usize> {
            let clients = self.clients.iter().enumerate();
            clients
                .filter(|(_, client)| client.tax_ids.iter().any(matches))
                .map(|(index, _)| index)
                .collect()
        };
        let exact = holders(&|own| own == tax_id);
        match tax_id.root() {
            Some(root) if exact.is_empty() => holders(&|own| own.root() == Some(root)),
            _ => exact,
        }
    }

    /// The tax ids of a client in a document.
    fn own<'a>(
        &'a self,
        client: usize,
        findings: &'a Findings,
    ) -> impl Iterator<Item = &'a Found<TaxIdWithRole>> {
        findings
            .tax_ids
            .iter()
            .filter(move |found| self.holders(&found.value.tax_id).contains(&client))
    }

    /// Whether a client has one of the roles that the owner of such a document has.
    fn has_owner_role(&self, client: usize, findings: &Findings) -> bool {
        self.own(client, findings)
            .any(|found| found.value.role.is_some_and(|role| is_owner_role(role, findings)))
    }

    /// Whether an unknown tax id may be the owner's rather than that of the only client.
    fn has_other_owner(
        &self,
        client: usize,
        findings: &Findings,
        unknown: &[&Found<TaxIdWithRole>],
    ) -> bool {
        if unknown.iter().any(|found| found.place == Place::FileName) {
            return true;
        }
        if self.has_owner_role(client, findings) {
            return false;
        }
        unknown
            .iter()
            .any(|found| found.value.role.is_none_or(|role| is_owner_role(role, findings)))
    }

    /// Whether the content names a client neither by tax id nor by name.
    fn is_in_file_name_only(&self, client: usize, findings: &Findings, text: &NameText) -> bool {
        self.own(client, findings).all(|found| found.place == Place::FileName)
            && !self.clients[client]
                .names
                .iter()
                .any(|name| contains_words(&text.content, &normalize(name)))
    }

    /// Whether a text contains the name of another client, and not as part of the chosen one's name.
    fn names_other(&self, other: &Client, client: usize, text: &NameText) -> bool {
        let chosen = &self.clients[client].names;
        other.names.iter().map(|name| normalize(name)).any(|name| {
            name.len() >= MIN_NAME_LENGTH
                && name.contains(' ')
                && (contains_words(&text.content, &name) || contains_words(&text.file_name, &name))
                && !chosen.iter().any(|own| contains_words(&normalize(own), &name))
        })
    }

    /// Proposes the clients whose names or aliases resemble parts of the text.
    fn propose(&self, text: &NameText, mut doubts: BTreeSet<Doubt>) -> OwnerMatch {
        let mut scores: Vec<(f64, &Client)> =
            self.clients.iter().map(|client| (client.similarity(text), client)).collect();
        scores.retain(|(score, _)| *score >= MIN_SIMILARITY);
        scores.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        doubts.insert(Doubt::NameOnly);
        OwnerMatch {
            certainty: if scores.is_empty() { Certainty::Unknown } else { Certainty::Doubtful },
            is_by_name: !scores.is_empty(),
            candidates: scores.into_iter().take(3).map(|(_, client)| client.id.clone()).collect(),
            doubts: doubts.into_iter().collect(),
        }
    }
}

/// Whether the owner of a document of this kind has this role. Every role is possible for an unknown kind, except
/// employee.
fn is_owner_role(role: Role, findings: &Findings) -> bool {
    match &findings.kind {
        Some(kind) => kind.value.owner_roles.contains(&role),
        None => role != Role::Employee,
    }
}

impl Client {
    /// Similarity of the most similar part of a text, from 0 to 1.
    fn similarity(&self, text: &NameText) -> f64 {
        let names = self.names.iter().chain(&self.aliases).map(|name| normalize(name));
        names.filter(|name| name.len() >= 4).map(|name| text.similarity(&name)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::{Certainty, Client, Directory, Doubt};
    use crate::findings::{Findings, Found, Kind, Line, Place, Role, TaxIdWithRole};
    use crate::text::Rect;

    const AURORA: &str = "11222333000181";
    const VIVA: &str = "11444777000161";
    const STRANGER: &str = "45997418000153";

    fn directory() -> Directory {
        let client = |id: &str, name: &str, tax_id: &str| Client {
            id: id.into(),
            names: vec![name.into()],
            tax_ids: vec![tax_id.parse().unwrap()],
            aliases: vec![format!("alias {id}")],
        };
        Directory {
            clients: vec![
                client("aurora", "Padaria Aurora Ltda", AURORA),
                client("viva", "Clínica Viva Bem S/A", VIVA),
            ],
            own_tax_ids: vec!["06990590000123".parse().unwrap()],
        }
    }

    fn findings(tax_ids: &[(&str, Option<Role>)], text: &str) -> Findings {
        let place = Place::Page { page: 1, rect: Rect::default() };
        let tax_ids = tax_ids.iter().map(|(tax_id, role)| Found {
            value: TaxIdWithRole { tax_id: tax_id.parse().unwrap(), role: *role },
            place: place.clone(),
            confidence: 0.99,
        });
        let kind = Kind {
            id: "das".into(),
            name: "DAS".into(),
            owner_roles: vec![Role::Payer],
            code: None,
            code_name: None,
            is_payable: true,
        };
        Findings {
            is_complete: true,
            tax_ids: tax_ids.collect(),
            kind: Some(Found { value: kind, place, confidence: 0.9 }),
            lines: text
                .lines()
                .map(|line| Line { page: 1, rect: None, text: line.into() })
                .collect(),
            ..Findings::default()
        }
    }

    fn assert_owner(
        findings: &Findings,
        file_name: &str,
        certainty: Certainty,
        candidates: &[&str],
        doubts: &[Doubt],
    ) {
        let owner = directory().find_owner(file_name, findings);
        assert_eq!((owner.certainty, &owner.doubts[..]), (certainty, doubts), "{owner:?}");
        assert_eq!(owner.candidates, candidates);
    }

    #[test]
    fn one_tax_id_is_certain() {
        let payer = Some(Role::Payer);
        for tax_ids in [
            &[(AURORA, None)][..],
            &[(AURORA, payer), (STRANGER, None)],
            &[(AURORA, payer), ("06990590000123", None)],
            &[(AURORA, None), (STRANGER, Some(Role::Issuer))],
            // A branch that is no client of its own.
            &[("11222333000262", payer)],
        ] {
            assert_owner(
                &findings(tax_ids, "Guia"),
                "guia.pdf",
                Certainty::Certain,
                &["aurora"],
                &[],
            );
        }
    }

    #[test]
    fn second_owner_is_a_doubt() {
        let (payer, issuer) = (Some(Role::Payer), Some(Role::Issuer));
        for (tax_ids, candidates, doubt) in [
            (&[(AURORA, payer), (VIVA, None)][..], &["aurora", "viva"][..], Doubt::SeveralClients),
            (&[(AURORA, issuer), (VIVA, payer)], &["viva", "aurora"], Doubt::SeveralClients),
            (&[(AURORA, issuer), (STRANGER, payer)], &["aurora"], Doubt::OtherOwner),
            (&[(AURORA, None), (STRANGER, None)], &["aurora"], Doubt::OtherOwner),
        ] {
            assert_owner(
                &findings(tax_ids, "Guia"),
                "guia.pdf",
                Certainty::Doubtful,
                candidates,
                &[doubt],
            );
        }
        let named = findings(&[(AURORA, payer)], "Razão social: CLINICA VIVA BEM S.A.");
        assert_owner(&named, "guia.pdf", Certainty::Doubtful, &["aurora"], &[Doubt::OtherName]);
        let partial = Findings { is_complete: false, ..findings(&[(AURORA, payer)], "Guia") };
        assert_owner(
            &partial,
            "guia.pdf",
            Certainty::Doubtful,
            &["aurora"],
            &[Doubt::PagesNotRead],
        );
    }

    #[test]
    fn file_name_alone_is_a_doubt() {
        let mut findings = findings(&[(AURORA, None)], "Balancete");
        findings.tax_ids[0].place = Place::FileName;
        assert_owner(
            &findings,
            "11222333000181.pdf",
            Certainty::Doubtful,
            &["aurora"],
            &[Doubt::FileNameOnly],
        );
        findings.lines[0].text = "Balancete de PADARIA AURORA LTDA ME".into();
        assert_owner(&findings, "11222333000181.pdf", Certainty::Certain, &["aurora"], &[]);
    }

    #[test]
    fn names_are_proposals_only() {
        for (text, file_name, candidates) in [
            ("Cliente: PADARIA AURORA LTDA", "a.pdf", &["aurora"][..]),
            ("Cliente: Padaría Auroro", "a.pdf", &["aurora"]),
            ("Balancete", "clinica_viva_bem 10-2026.pdf", &["viva"]),
            ("Balancete", "Alias Viva.pdf", &["viva"]),
        ] {
            assert_owner(
                &findings(&[], text),
                file_name,
                Certainty::Doubtful,
                candidates,
                &[Doubt::NameOnly],
            );
        }
        assert_owner(
            &findings(&[], "Padaria Ideal"),
            "a.pdf",
            Certainty::Unknown,
            &[],
            &[Doubt::NameOnly],
        );
    }

    #[test]
    fn tax_id_of_several_clients_is_a_doubt() {
        let mut directory = directory();
        directory.clients.push(Client { id: "partner".into(), ..directory.clients[0].clone() });
        let owner = directory.find_owner("a.pdf", &findings(&[(AURORA, Some(Role::Payer))], ""));
        assert_eq!((owner.certainty, owner.candidates.len()), (Certainty::Doubtful, 2));
    }
}
