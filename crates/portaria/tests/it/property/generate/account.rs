//! Requests about accounts: the own one, and others whose existence must stay hidden.

use serde_json::{Value, json};

use crate::property::generate::{Ask, Maker};

impl Maker<'_> {
    pub(crate) fn account(&mut self) -> Ask {
        let id = self.pool.id(&mut self.rng);
        let user = format!("/auth/v1/admin/users/{id}");
        let email = self.email();
        let code = json!({"email": email, "token": "123456", "type": *self.rng.pick(&["email", "recovery", "signup"])});
        let (method, path, body) = match self.rng.below(18) {
            0 => ("GET", "/auth/v1/user", Value::Null),
            1 => ("PUT", "/auth/v1/user", self.own_change(&email)),
            2 => ("GET", "/auth/v1/reauthenticate", Value::Null),
            3 => ("GET", "/auth/v1/settings", Value::Null),
            4 => ("POST", "/auth/v1/recover", json!({"email": email})),
            5 => ("POST", "/auth/v1/resend", json!({"email": email, "type": "signup"})),
            6 => ("POST", "/auth/v1/otp", json!({"email": email, "create_user": false})),
            7 => ("POST", "/auth/v1/otp", json!({"email": email})),
            8 => ("POST", "/auth/v1/signup", json!({"email": email, "password": "uma senha"})),
            9 => ("POST", "/auth/v1/verify", code),
            10 => {
                let path = "/auth/v1/token?grant_type=password";
                ("POST", path, json!({"email": email, "password": "não é esta"}))
            }
            11 => {
                let path = "/auth/v1/token?grant_type=refresh_token";
                ("POST", path, json!({"refresh_token": id}))
            }
            12 => ("GET", "/auth/v1/admin/users?page=1&per_page=3", Value::Null),
            13 => ("GET", user.as_str(), Value::Null),
            14 => ("PUT", user.as_str(), json!({"ban_duration": "1h"})),
            15 => ("DELETE", user.as_str(), json!({"should_soft_delete": false})),
            // The responses to an administrator contain random values.
            16 if !self.sees_hidden => ("POST", "/auth/v1/invite", json!({"email": email})),
            _ if !self.sees_hidden => {
                let body = json!({"type": "recovery", "email": email});
                ("POST", "/auth/v1/admin/generate_link", body)
            }
            _ => ("GET", "/auth/v1/health", Value::Null),
        };
        let mut ask = Ask::new(method, path);
        if !body.is_null() {
            ask.body = Some(body.to_string().into_bytes());
        }
        ask
    }

    /// The address of an account of one portal, of both, or of none.
    fn email(&mut self) -> String {
        let clients = portaria::schema::tables::find_table("clients").unwrap();
        let column = clients.column("email", true).unwrap();
        match self.pool.real(&mut self.rng, clients, column) {
            Some(email) if self.rng.percent(80) => email,
            _ => (*self.rng.pick(&["ninguem@cliente.com.br", "sem arroba", ""])).to_owned(),
        }
    }

    fn own_change(&mut self, email: &str) -> Value {
        match self.rng.below(4) {
            0 => json!({"data": {"full_name": "Outro nome"}}),
            1 => json!({"app_metadata": {"roles": ["admin"]}}),
            _ => json!({"email": email}),
        }
    }
}
