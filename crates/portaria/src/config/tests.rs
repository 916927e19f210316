//! Tests of the settings.

use crate::config::ConfigSources;

fn with(file: &str) -> anyhow::Result<super::Config> {
    let mut settings = ConfigSources::defaults();
    settings.merge_file("portaria.toml", file)?;
    settings.read()
}

#[test]
fn defaults_are_valid() {
    let config = ConfigSources::defaults().read().unwrap();
    assert_eq!(config.max_upload, 10 * 1024 * 1024);
    assert_eq!(config.site_url, "http://127.0.0.1:8080");
}

#[test]
fn settings_in_operations_guide_exist() {
    let settings = ConfigSources::defaults().0;
    let guide = include_str!("../../../../docs/operacao.md");
    let words = guide.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let names: Vec<_> = words
        .filter_map(|word| word.strip_prefix("PORTARIA_"))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.contains(&"SITE_URL"));
    for name in names {
        assert!(settings.contains_key(&name.to_lowercase()), "{name}");
    }
}

#[test]
fn invalid_file_is_refused_with_its_line() {
    for (file, expected) in [
        (
            "signup = true\nsingup = false\n",
            "portaria.toml, line 2: there is no setting \"singup\"",
        ),
        (
            "\n\npassword_min = \"six\"\n",
            "portaria.toml, line 3: password_min must be a integer, not a string",
        ),
    ] {
        assert_eq!(with(file).unwrap_err().to_string(), expected);
    }
    let error = with("listen = 127.0.0.1").unwrap_err().to_string();
    assert!(error.starts_with("portaria.toml, line 1: "), "{error}");
}

#[test]
fn invalid_value_is_refused_with_its_name() {
    for (file, name) in [
        ("listen = \"8080\"", "listen"),
        ("listen = \"0.0.0.0:8080\"", "site_url"),
        ("listen = \"0.0.0.0:80\"\nsite_url = \"http://portal.example.com\"", "site_url"),
        ("site_url = \"https://a.example/path\"", "site_url"),
        ("jwt_secret = \"short\"", "jwt_secret"),
        ("password_min = 3", "password_min"),
        ("time_zone = \"Brazil/Nowhere\"", "time_zone"),
        ("max_upload = \"ten\"", "max_upload"),
        ("max_answer = \"\"", "max_answer"),
        ("min_free_space = \"some\"", "min_free_space"),
        ("database_url = \"mysql://x\"", "database_url"),
        ("storage_url = \"/mnt/files\"", "storage_url"),
        ("mail_link_life = \"25h\"", "mail_link_life"),
        ("access_token_life = \"soon\"", "access_token_life"),
        ("rate_sign_in = \"often\"", "rate_sign_in"),
        ("redirect_urls = [\"/welcome\"]", "redirect_urls"),
        ("trusted_proxies = [\"10.0.0.0/99\"]", "trusted_proxies"),
        ("allowed_origins = [\"*\"]", "allowed_origins"),
        ("allowed_origins = [\"null\"]", "allowed_origins"),
        ("allowed_origins = [\"app.example.com\"]", "allowed_origins"),
        ("allowed_origins = [\"http://app.example.com\"]", "allowed_origins"),
        ("allowed_origins = [\"https://*.example.com\"]", "allowed_origins"),
        ("allowed_origins = [\"https://app.example.com/path\"]", "allowed_origins"),
        ("allowed_origins = [\"https://ana@app.example.com\"]", "allowed_origins"),
        ("expiring_soon_days = \"soon\"", "expiring_soon_days"),
        ("access_records_months = 5", "access_records_months"),
        ("smtp_url = \"mail.example.com\"", "smtp_url"),
        ("smtp_url = \"smtp://mail.example.com\"", "mail_from"),
        ("mail_from = \"Ana\"", "mail_from"),
        ("mail_rate = \"fast\"", "mail_rate"),
        ("rate_recipient_mail = \"20\"", "rate_recipient_mail"),
        ("log_format = \"xml\"", "log_format"),
        ("metrics_listen = \"0.0.0.0:9464\"", "metrics_listen"),
        ("tls_cert = \"cert.pem\"", "tls_cert"),
        ("tls_cert = \"c\"\ntls_key = \"k\"\nsite_url = \"http://localhost\"", "site_url"),
        ("quota = \"much\"", "quota"),
        ("quota_per_client = 0", "quota_per_client"),
        ("uploads_at_once = 0", "uploads_at_once"),
        ("min_transfer_rate = \"0\"", "min_transfer_rate"),
        ("transfer_window = \"0s\"", "transfer_window"),
        ("max_body_time = \"25h\"", "max_body_time"),
        ("connections_per_address = 0", "connections_per_address"),
        ("backup_at = \"25:00\"", "backup_at"),
        ("backup_keep = \"always\"", "backup_keep"),
        ("backup_key = \"short\"", "backup_key"),
        ("backup_rehearsal_days = -1", "backup_rehearsal_days"),
    ] {
        let error = with(file).unwrap_err().to_string();
        assert!(error.starts_with(name), "{file}: {error}");
    }
}

#[test]
fn environment_overrides_file_and_ignores_other_names() {
    let environment = [
        ("PORTARIA_SIGNUP", "true"),
        ("PORTARIA_MAX_UPLOAD", "5 MiB"),
        ("PORTARIA_OTHER", "x"),
        ("PORTARIA_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1"),
        ("PORTARIA_REDIRECT_URLS", ""),
    ];
    let settings =
        ConfigSources::load(environment.map(|(k, v)| (k.into(), v.into())).into_iter()).unwrap();
    let config = settings.read().unwrap();
    assert!(config.signup);
    assert_eq!(config.max_upload, 5 * 1024 * 1024);
    assert_eq!(config.trusted_proxies.len(), 2);
    assert!(config.redirect_urls.is_empty());
}

#[test]
fn secrets_are_masked() {
    let mut settings = ConfigSources::defaults();
    settings.set("jwt_secret", "0123456789abcdef0123456789abcdef").unwrap();
    settings.set("smtp_url", "smtp://portal%40a.com:0123456789abcdef@mail.a.com").unwrap();
    let shown = settings.redacted();
    assert!(shown.contains("jwt_secret = \"********\"") && !shown.contains("0123456789abcdef"));
    assert!(shown.contains("smtp_url = \"********\""));
    // Debug output masks them too.
    assert!(!format!("{settings:?}").contains("0123456789abcdef"));
    let config = settings.read().unwrap();
    assert!(!format!("{config:?}").contains("0123456789abcdef"));
}
