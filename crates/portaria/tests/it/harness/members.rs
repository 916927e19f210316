//! Members of clients.

use serde_json::json;

use crate::harness::{TestPortal, TestUser};

impl TestPortal {
    /// Makes a person a member of a client. Returns the id of the membership.
    pub(crate) async fn add_member(&self, client: &TestUser, person: &TestUser) -> String {
        self.add_member_of(client, person, None).await
    }

    /// Makes a person a member of a client who is limited to folders, and lets the person's session act for the client.
    /// Returns the id of the membership.
    pub(crate) async fn limit(
        &self,
        client: &TestUser,
        person: &TestUser,
        folders: &[&str],
    ) -> String {
        let membership = self.add_member_of(client, person, Some(folders)).await;
        let active = self.put("/account/v1/clients/active").auth(person);
        active.json(&json!({"client_id": client.id})).send().await.is(204);
        membership
    }

    async fn add_member_of(
        &self,
        client: &TestUser,
        person: &TestUser,
        folders: Option<&[&str]>,
    ) -> String {
        let service = &self.app.keys.service_role;
        let body = json!({
            "client_id": client.id, "email": person.email, "name": "Assistente de RH", "role": "member",
            "folders": folders,
        });
        self.post("/account/v1/members").bearer(service).json(&body).send().await.is(204);
        let path = format!(
            "/rest/v1/client_members?client_id=eq.{}&user_id=eq.{}&role=eq.member",
            client.id, person.id
        );
        let rows = self.get(&path).bearer(service).send().await.json();
        rows[0]["id"].as_str().unwrap().to_owned()
    }

    /// Changes the folders to which a member is limited, as the client.
    pub(crate) async fn change_folders(
        &self,
        client: &TestUser,
        membership: &str,
        folders: Option<&[&str]>,
    ) {
        let path = format!("/account/v1/members/{membership}");
        let change = json!({"folders": folders});
        self.patch(&path).auth(client).json(&change).send().await.is(204);
    }
}
