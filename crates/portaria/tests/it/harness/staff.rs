//! Members of the staff with limited rights.

use serde_json::json;

use crate::harness::{TestPortal, TestUser};

impl TestPortal {
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
