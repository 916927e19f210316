//! The clients and folders of the office, by the names that an archive uses for them.

use std::collections::BTreeMap;

use portaria_codes::TaxId;
use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::Value;

use crate::{
    db::{Error, Tx},
    display_name::{self, search_key},
};

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Client {
    /// The name, or without one the e-mail.
    pub(crate) name: String,
    pub(crate) id: String,
}

/// A folder of the portal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) id: String,
}

/// All clients and folders.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    by_email: BTreeMap<String, Client>,
    by_tax_id: BTreeMap<String, Vec<Client>>,
    by_name: BTreeMap<String, Vec<Client>>,
    /// Folders, and whether each is archived.
    folders: Vec<(Folder, bool)>,
}

impl Directory {
    /// Reads clients and folders.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) fn load(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let mut directory = Self::default();
        let mut clients = Query::select();
        clients.columns(["id", "email", "user_metadata"]).from("clients");
        for row in tx.rows(clients.order_by("id", Order::Asc))?.iter() {
            directory.add_client(row.text(0)?, row.opt_text(1)?.unwrap_or_default(), row.text(2)?);
        }
        let mut folders = Query::select();
        folders.columns(["id_supabase", "name"]).from("folders");
        folders.expr(Expr::col("archived_at").is_not_null());
        folders.order_by("position", Order::Asc).order_by("id", Order::Asc);
        for row in tx.rows(&folders)?.iter() {
            let folder = Folder { id: row.text(0)?.to_owned(), name: row.text(1)?.to_owned() };
            directory.folders.push((folder, row.bool(2)?));
        }
        Ok(directory)
    }

    fn add_client(&mut self, id: &str, email: &str, metadata: &str) {
        let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        let full_name = text("full_name").trim();
        let name = if full_name.is_empty() { email } else { full_name };
        let name = display_name::sanitize_display_name(name);
        let client = Client { id: id.to_owned(), name };
        if !full_name.is_empty() {
            self.by_name.entry(search_key(full_name)).or_default().push(client.clone());
        }
        if let Ok(tax_id) = text("tax_id").parse::<TaxId>() {
            self.by_tax_id.entry(tax_id.as_str().to_owned()).or_default().push(client.clone());
        }
        self.by_email.insert(email.to_lowercase(), client);
    }

    /// Finds the client that a list names by e-mail, CPF or CNPJ.
    ///
    /// # Errors
    /// A sentence for a person.
    pub(crate) fn client(&self, key: &str) -> Result<Client, String> {
        if key.is_empty() {
            return Err("Falta o cliente: escreva o e-mail, o CPF ou o CNPJ dele.".into());
        }
        if key.contains('@') {
            let found = self.by_email.get(&key.to_lowercase()).cloned();
            return found.ok_or_else(|| format!("Nenhum cliente tem o e-mail {key}."));
        }
        let tax_id: TaxId = key.parse().map_err(|_| {
            format!("“{key}” não é um e-mail, nem um CPF ou CNPJ com os dígitos certos.")
        })?;
        self.client_of_tax_id(&tax_id)
    }

    /// Finds the client after whom a folder of the archive is named: by e-mail or name, or by a CPF or CNPJ in the name.
    ///
    /// # Errors
    /// A sentence for a person.
    pub(crate) fn client_of_folder(&self, name: &str) -> Result<Client, String> {
        if let Some(client) = self.by_email.get(&name.trim().to_lowercase()) {
            return Ok(client.clone());
        }
        let mut tax_ids = portaria_recognize::tax_ids_in_name(name);
        tax_ids.dedup();
        match tax_ids.as_slice() {
            [] => self.client_of_name(name),
            [tax_id] => self.client_of_tax_id(tax_id),
            _ => Err("O nome da pasta tem mais de um CPF ou CNPJ: deixe um só.".into()),
        }
    }

    fn client_of_name(&self, name: &str) -> Result<Client, String> {
        match self.by_name.get(&search_key(name)).map(Vec::as_slice) {
            None | Some([]) => Err("Nenhum cliente tem este nome: dê à pasta o CPF, o CNPJ ou o \
                 e-mail de um cliente."
                .into()),
            Some([client]) => Ok(client.clone()),
            Some(_) => Err("Mais de um cliente tem este nome: dê à pasta o CPF, o CNPJ ou o \
                 e-mail do cliente."
                .into()),
        }
    }

    fn client_of_tax_id(&self, tax_id: &TaxId) -> Result<Client, String> {
        let kind = if tax_id.is_cnpj() { "CNPJ" } else { "CPF" };
        match self.by_tax_id.get(tax_id.as_str()).map(Vec::as_slice) {
            None | Some([]) => {
                Err(format!("Nenhum cliente tem o {kind} {tax_id}: cadastre-o primeiro."))
            }
            Some([client]) => Ok(client.clone()),
            Some(_) => Err(format!("Mais de um cliente tem o {kind} {tax_id}: use o e-mail.")),
        }
    }

    /// Finds a folder of the portal by its name, whatever its accents and its case.
    ///
    /// # Errors
    /// A sentence for a person, which lists the folders.
    pub(crate) fn folder(&self, name: &str) -> Result<Folder, String> {
        let key = search_key(name);
        let mut found = self.folders.iter().filter(|(folder, _)| search_key(&folder.name) == key);
        match (found.next(), found.next()) {
            (Some((folder, false)), None) => Ok(folder.clone()),
            (Some((_, true)), None) => {
                Err(format!("A pasta “{name}” está arquivada: restaure-a no painel."))
            }
            (Some(_), Some(_)) => {
                Err(format!("O portal tem mais de uma pasta “{name}”: mude o nome de uma."))
            }
            (None, _) => {
                let active = self.folders.iter().filter(|(_, is_archived)| !is_archived);
                let names: Vec<_> = active.map(|(folder, _)| folder.name.as_str()).collect();
                Err(format!(
                    "O portal não tem a pasta “{name}”. As pastas são: {}.",
                    names.join(", ")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::documents::import::directory::{Directory, Folder};

    fn directory() -> Directory {
        let mut directory = Directory::default();
        for (id, email, name, tax_id) in [
            ("ana", "ana@x.com.br", "Ana Açaí ME", "11.222.333/0001-81"),
            ("rui", "rui@x.com.br", "Rui Sá", "529.982.247-25"),
            ("rui2", "rui2@x.com.br", "rui sa", "529.982.247-25"),
            ("leo", "leo@x.com.br", "", ""),
        ] {
            let metadata = json!({"full_name": name, "tax_id": tax_id}).to_string();
            directory.add_client(id, email, &metadata);
        }
        for (id, name, is_archived) in
            [("guias", "Guias e Impostos", false), ("velha", "Velha", true)]
        {
            let folder = Folder { id: id.into(), name: name.into() };
            directory.folders.push((folder, is_archived));
        }
        directory
    }

    #[test]
    fn folders_of_the_archive_name_clients() {
        let directory = directory();
        for (name, id) in [
            ("ana acai me", "ana"),
            ("ANA AÇAÍ ME ", "ana"),
            ("11222333000181", "ana"),
            ("Açaí da Ana - 11.222.333-0001-81", "ana"),
            ("Ana@X.com.br", "ana"),
            ("leo@x.com.br", "leo"),
        ] {
            assert_eq!(directory.client_of_folder(name).unwrap().id, id, "{name}");
        }
        for (name, reason) in [
            ("Ana", "Nenhum cliente tem este nome"),
            ("Rui Sá", "Mais de um cliente tem este nome"),
            ("Rui 529.982.247-25", "Mais de um cliente tem o CPF 529.982.247-25"),
            ("12.ABC.345-01DE-35", "Nenhum cliente tem o CNPJ 12.ABC.345/01DE-35"),
            ("11222333000181 e 52998224725", "mais de um CPF ou CNPJ"),
        ] {
            let error = directory.client_of_folder(name).unwrap_err();
            assert!(error.contains(reason), "{name}: {error}");
        }
    }

    #[test]
    fn lists_name_clients_by_email_or_tax_id() {
        let directory = directory();
        for key in ["ANA@x.com.br", "11222333000181", "11.222.333/0001-81"] {
            assert_eq!(directory.client(key).unwrap().id, "ana", "{key}");
        }
        assert_eq!(directory.client("leo@x.com.br").unwrap().name, "leo@x.com.br");
        for key in ["", "Ana Açaí ME", "ana@y.com.br", "11222333000182", "52998224725"] {
            assert!(directory.client(key).is_err(), "{key}");
        }
    }

    #[test]
    fn folders_are_found_by_their_folded_names() {
        let directory = directory();
        assert_eq!(directory.folder(" guias E impóstos").unwrap().id, "guias");
        assert!(directory.folder("velha").unwrap_err().contains("arquivada"));
        let error = directory.folder("Guias").unwrap_err();
        assert!(error.ends_with("As pastas são: Guias e Impostos."), "{error}");
    }
}
