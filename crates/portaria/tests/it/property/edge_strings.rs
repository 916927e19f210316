//! Texts in rows that are likely to break filters, ordering and quoting.

/// Names and subjects: valid ones, similar ones, and ones that look like syntax.
pub(crate) const TEXTS: [&str; 44] = [
    "Contrato de prestação",
    "Contrato de presta\u{63}\u{327}a\u{303}o",
    "contrato",
    "CONTRATO",
    "Folha de pagamento",
    "Folha, de \"pagamento\"",
    "nota (2ª via)",
    "100% pago",
    "100\\% pago",
    "sub_linha",
    "sub-linha",
    "estrela*",
    "[colchete]",
    "{chave}",
    "a.b.c",
    "eq.a",
    "null",
    "true",
    "a",
    "A",
    "b",
    "B",
    "aa",
    "a b",
    " a",
    "Z",
    "z",
    "é",
    "e\u{301}",
    "É",
    "ÇÃO",
    "ção",
    "İstanbul",
    "straße",
    "STRASSE",
    "ΟΔΟΣ",
    "οδος",
    "ǅ",
    "😀",
    "\u{FFFF}",
    "\u{10000}",
    "tab\tnova\nlinha",
    "barra\\",
    "'; drop table users; --",
];

pub(crate) const FILES: [&str; 6] =
    ["a.pdf", "Declaração nº 3 – João.pdf", "100% (2).pdf", "a.b.PDF", "x&y=z.pdf", "😀.pdf"];
pub(crate) const KINDS: [Option<&str>; 5] =
    [None, Some("contrato"), Some("fatura"), Some("relatorio"), Some("aviso")];
pub(crate) const METADATA: [&str; 7] = [
    "{}",
    r#"{"full_name":"João \"Zé\" Conceição","phone":null,"tags":["a",{"b":1.5},null,true],"n":10,"ok":true}"#,
    r#"{"full_name":"Ana","address":{"city":"São Paulo","zip":"01310-100","floor":0},"1":"um"}"#,
    r#"{"full_name":"ana","n":-9007199254740993,"x":1e300,"tags":[]}"#,
    r#"{"full_name":"Élida","phone":"","n":"10","tags":[[1,2],[3]]}"#,
    r#"{"full_name":null,"ok":false,"tags":"a"}"#,
    r#"{"full_name":"Zoé","n":0.1,"tags":[""],"x":"é\n\"\\"}"#,
];
