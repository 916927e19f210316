//! Members of the staff.

use portaria::api::setup;
use serde_json::json;

use crate::harness::{PASSWORD, TestPortal, TestUser};

impl TestPortal {
    /// Creates the first administrator through the set-up link, and signs in.
    pub(crate) async fn admin(&self) -> TestUser {
        let email = "ana@escritorio.com.br";
        let token = setup::issue_setup_token(&self.app)
            .await
            .unwrap()
            .expect("an administrator exists already");
        self.post("/setup")
            .json(&json!({"token": token, "email": email, "password": PASSWORD, "full_name": "Ana Prado"}))
            .send()
            .await
            .is(200);
        self.sign_in(email).await
    }

    /// Creates a member of the staff with limited rights and signs in. `assigned_only` limits to assigned clients.
    pub(crate) async fn colleague(&self, name: &str, role: &str, assigned_only: bool) -> TestUser {
        let email = format!("{name}@escritorio.com.br");
        let rights = json!({
            "roles": ["admin"], "office_role": role, "assigned_clients_only": assigned_only,
        });
        self.create_user(json!({"email": email, "app_metadata": rights})).await;
        self.sign_in(&email).await
    }

    /// Assigns a client to a member of the staff.
    pub(crate) async fn assign(&self, client: &TestUser, staff: &TestUser) -> String {
        let row = json!({"client_id": client.id, "staff_id": staff.id});
        self.insert("client_assignments", row).await
    }
}
