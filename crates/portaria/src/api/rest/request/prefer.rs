//! The `Prefer` header (RFC 7240; docs/protocol/rest.md, section 4.3) and its answer, `Preference-Applied`.

use axum::http::{HeaderMap, HeaderValue};

use crate::api::rest::RestError;

/// The preferences of a request. If a preference occurs several times, the first one counts (RFC 7240, section 2).
#[derive(Debug, Default, Clone)]
pub(crate) struct Prefer {
    pub(crate) resolution: Option<Resolution>,
    pub(crate) missing: Option<Missing>,
    pub(crate) returned: Option<Return>,
    count: Option<&'static str>,
    pub(crate) tx: Option<TransactionEnd>,
    handling: Option<Handling>,
    max_affected: Option<u64>,
}

/// `resolution=`: the handling of existing rows by an insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolution {
    MergeDuplicates,
    IgnoreDuplicates,
}

/// `missing=`: the value of a column that a row of the payload omits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Default,
    Null,
}

/// `return=`: the answer to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Return {
    Representation,
    HeadersOnly,
    Minimal,
}

/// `tx=`: the end of a write's transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionEnd {
    Commit,
    Rollback,
}

/// `handling=`: whether unknown preferences are refused or ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handling {
    Strict,
    Lenient,
}

impl Prefer {
    /// Parses the `Prefer` headers.
    ///
    /// # Errors
    /// PGRST122 for an unknown preference with `handling=strict`.
    pub(crate) fn parse(headers: &HeaderMap) -> Result<Self, RestError> {
        let mut prefer = Self::default();
        let mut unknown = Vec::new();
        let values = headers.get_all("prefer").into_iter().filter_map(|value| value.to_str().ok());
        for preference in
            values.flat_map(|value| value.split(',')).map(str::trim).filter(|text| !text.is_empty())
        {
            let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
            match (name, value) {
                ("resolution", "merge-duplicates") => {
                    _ = prefer.resolution.get_or_insert(Resolution::MergeDuplicates);
                }
                ("resolution", "ignore-duplicates") => {
                    _ = prefer.resolution.get_or_insert(Resolution::IgnoreDuplicates);
                }
                ("missing", "default") => _ = prefer.missing.get_or_insert(Missing::Default),
                ("missing", "null") => _ = prefer.missing.get_or_insert(Missing::Null),
                ("return", "representation") => {
                    _ = prefer.returned.get_or_insert(Return::Representation);
                }
                ("return", "headers-only") => {
                    _ = prefer.returned.get_or_insert(Return::HeadersOnly);
                }
                ("return", "minimal") => _ = prefer.returned.get_or_insert(Return::Minimal),
                ("count", "exact") => _ = prefer.count.get_or_insert("exact"),
                ("count", "planned") => _ = prefer.count.get_or_insert("planned"),
                ("count", "estimated") => _ = prefer.count.get_or_insert("estimated"),
                ("tx", "commit") => _ = prefer.tx.get_or_insert(TransactionEnd::Commit),
                ("tx", "rollback") => _ = prefer.tx.get_or_insert(TransactionEnd::Rollback),
                ("handling", "strict") => _ = prefer.handling.get_or_insert(Handling::Strict),
                ("handling", "lenient") => _ = prefer.handling.get_or_insert(Handling::Lenient),
                // Accepted and ignored: every timestamp is answered in UTC, with its offset.
                ("timezone", _) => {}
                ("max-affected", number) if number.parse::<u64>().is_ok() => {
                    prefer.max_affected = prefer.max_affected.or(number.parse().ok());
                }
                _ => unknown.push(preference.to_owned()),
            }
        }
        if prefer.is_strict() && !unknown.is_empty() {
            return Err(RestError::bad_request(
                "PGRST122",
                "Invalid preferences given with handling=strict",
            )
            .details(format!("Invalid preferences: {}", unknown.join(", "))));
        }
        Ok(prefer)
    }

    /// Whether a count was requested. Every kind of count is exact.
    pub(crate) fn wants_count(&self) -> bool {
        self.count.is_some()
    }

    /// Checks the number of affected rows against `max-affected`, which applies with `handling=strict`.
    ///
    /// # Errors
    /// PGRST124. The caller rolls the transaction back.
    pub(crate) fn check_affected(&self, rows: usize) -> Result<(), RestError> {
        match self.max_affected {
            Some(max) if self.is_strict() && rows as u64 > max => Err(RestError::bad_request(
                "PGRST124",
                "Query result exceeds max-affected preference constraint",
            )
            .details(format!("The query affects {rows} rows"))),
            _ => Ok(()),
        }
    }

    fn is_strict(&self) -> bool {
        self.handling == Some(Handling::Strict)
    }

    /// Builds the `Preference-Applied` header, or `None` if no preference was applied.
    pub(crate) fn applied_header(&self, is_write: bool) -> Option<HeaderValue> {
        let mut applied = Vec::new();
        if is_write {
            applied.extend(self.resolution.map(|resolution| match resolution {
                Resolution::MergeDuplicates => "resolution=merge-duplicates",
                Resolution::IgnoreDuplicates => "resolution=ignore-duplicates",
            }));
            applied.extend(self.missing.map(|missing| match missing {
                Missing::Default => "missing=default",
                Missing::Null => "missing=null",
            }));
            applied.extend(self.returned.map(|returned| match returned {
                Return::Representation => "return=representation",
                Return::HeadersOnly => "return=headers-only",
                Return::Minimal => "return=minimal",
            }));
        }
        let mut applied: Vec<String> = applied.into_iter().map(str::to_owned).collect();
        applied.extend(self.count.map(|count| format!("count={count}")));
        if is_write {
            applied.extend(self.tx.map(|end| match end {
                TransactionEnd::Commit => "tx=commit".to_owned(),
                TransactionEnd::Rollback => "tx=rollback".to_owned(),
            }));
        }
        applied.extend(self.handling.map(|handling| match handling {
            Handling::Strict => "handling=strict".to_owned(),
            Handling::Lenient => "handling=lenient".to_owned(),
        }));
        if is_write && self.is_strict() {
            applied.extend(self.max_affected.map(|max| format!("max-affected={max}")));
        }
        if applied.is_empty() { None } else { HeaderValue::try_from(applied.join(", ")).ok() }
    }
}
