//! Tests of the settings.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use regex::{Captures, Regex};
use secrecy::ExposeSecret;
use tempfile::TempDir;

use crate::config::ConfigSources;

fn with(file: &str) -> anyhow::Result<super::Config> {
    let mut settings = ConfigSources::defaults();
    settings.merge_toml("portaria.toml", file)?;
    settings.read()
}

#[test]
fn defaults_are_valid() {
    let config = ConfigSources::defaults().read().unwrap();
    assert_eq!(config.max_upload, 10 * 1024 * 1024);
    assert_eq!(config.site_url, "http://127.0.0.1:8080");
}

#[test]
fn site_url_is_read_as_browsers_write_it() {
    for (typed, origin) in [
        ("https://Portal.Exemplo.com.br/", "https://portal.exemplo.com.br"),
        ("https://portal.exemplo.com.br:443", "https://portal.exemplo.com.br"),
        ("https://escritório.com.br:8443", "https://xn--escritrio-b7a.com.br:8443"),
        ("http://LocalHost:8080", "http://localhost:8080"),
    ] {
        assert_eq!(with(&format!("site_url = \"{typed}\"")).unwrap().site_url, origin);
    }
}

#[test]
fn settings_in_operations_guide_exist() {
    let settings = ConfigSources::defaults().values;
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
            "portaria.toml, line 2: there is no setting \"singup\"; did you mean signup?",
        ),
        (
            "\n\npassword_min = \"six\"\n",
            "portaria.toml, line 3: password_min must be a whole number, without quotation marks, not \"six\"",
        ),
        (
            "signup = true\nlisten = 127.0.0.1:8080\n",
            "portaria.toml, line 2: listen needs quotation marks: listen = \"127.0.0.1:8080\"",
        ),
        (
            "jwt_secret = s3gr3do\n",
            "portaria.toml, line 1: jwt_secret needs quotation marks: jwt_secret = \"…\"",
        ),
        (
            "signup = yes\n",
            "portaria.toml, line 1: signup must be true or false, without quotation marks, not yes",
        ),
    ] {
        assert_eq!(with(file).unwrap_err().to_string(), expected);
    }
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
        ("database_replica_url = \"mysql://x\"", "database_replica_url"),
        ("database_replica_url = \"postgres://p:s@localhost/portaria\"", "database_replica_url"),
        ("storage_url = \"/mnt/files\"", "storage_url"),
        ("mail_link_life = \"25h\"", "mail_link_life"),
        ("mail_link_life = \"0\"", "mail_link_life"),
        ("admin_email = \"ana\"", "admin_email"),
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
        ("office_tax_id = \"11.222.333/0001-82\"", "office_tax_id"),
        ("access_records_months = 5", "access_records_months"),
        ("smtp_url = \"mail.example.com\"", "smtp_url"),
        ("smtp_url = \"smtp://mail.example.com\"", "mail_from"),
        ("mail_from = \"Ana\"", "mail_from"),
        ("imap_url = \"imap://a:b@mail.example.com\"", "imap_url"),
        ("reply_address = \"portal@example.com\"", "reply_address"),
        ("reply_address = \"atendimento-ao-cliente@example.com\"", "reply_address"),
        ("staff_reply_by_mail = true", "staff_reply_by_mail"),
        ("inbox_senders = [\"scanner\"]", "inbox_senders"),
        ("inbox_senders = [\"scanner@example.com\"]", "inbox_senders"),
        ("data_dir = \"/srv/portaria\"\ninbox_dir = \"/srv/portaria\"", "inbox_dir"),
        ("data_dir = \"/srv/portaria\"\ninbox_dir = \"/srv/portaria/tmp/new\"", "inbox_dir"),
        ("backup_to = \"/srv/copy\"\ninbox_dir = \"/srv/copy\"", "inbox_dir"),
        ("mail_rate = \"fast\"", "mail_rate"),
        ("rate_recipient_mail = \"20\"", "rate_recipient_mail"),
        ("log_format = \"xml\"", "log_format"),
        ("log_filter = \"portaria=loud\"", "log_filter"),
        ("log_filter = \"warning\"", "log_filter"),
        ("metrics_listen = \"0.0.0.0:9464\"", "metrics_listen"),
        ("traces_url = \"127.0.0.1:4318\"", "traces_url"),
        ("traces_url = \"http://ana:senha@collector.example.com\"", "traces_url"),
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

fn load(file: &Path, environment: &[(&str, &str)]) -> anyhow::Result<ConfigSources> {
    let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    ConfigSources::load(Some(file), environment)
}

/// Writes a file of settings that only its owner can read.
fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    (folder, path)
}

#[test]
fn environment_overrides_file() {
    let (_folder, path) = file("portaria.toml", "signup = false\npassword_min = 9\n");
    let settings = load(
        &path,
        &[
            ("PORTARIA_SIGNUP", "true"),
            ("PORTARIA_MAX_UPLOAD", "5 MiB"),
            ("PORTARIA_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1"),
            ("PORTARIA_REDIRECT_URLS", ""),
            ("HOME", "/root"),
        ],
    )
    .unwrap();
    let config = settings.read().unwrap();
    assert!(config.signup);
    assert_eq!((config.max_upload, config.password_min), (5 * 1024 * 1024, 9));
    assert_eq!(config.trusted_proxies.len(), 2);
    assert!(config.redirect_urls.is_empty());
    assert_eq!(settings.origin("signup"), Some("PORTARIA_SIGNUP"));
    assert_eq!(settings.origin("password_min"), Some(&*format!("{}, line 2", path.display())));
    assert_eq!(settings.origin("listen"), None);
}

#[test]
fn variables_of_a_file_need_no_shell() {
    let (_folder, path) = file(
        "office.env",
        "# The office\nPORTARIA_PRODUCT_NAME=Escritório Prado\n\
         PORTARIA_MAIL_FROM=Escritório Prado <portal@prado.com.br>\n\
         PORTARIA_STORAGE_URL=s3://k:a%2Fb$x@prado?endpoint=https://s3.example.com&region=sa-east-1\n\
         PORTARIA_BACKUP_KEY=\"uma frase $longa\"\n",
    );
    let config = load(&path, &[]).unwrap().read().unwrap();
    assert_eq!(config.product_name, "Escritório Prado");
    assert_eq!(config.mail_from.unwrap().to_string(), "Escritório Prado <portal@prado.com.br>");
    let bucket = config.bucket.unwrap();
    assert_eq!((&*bucket.region, &*bucket.secret_access_key), ("sa-east-1", "a/b$x"));
    assert_eq!(config.backup_key.unwrap().expose_secret(), "uma frase $longa");
}

#[test]
fn unknown_variable_is_refused_with_the_nearest_name() {
    let (_folder, path) = file("office.env", "");
    let why = load(&path, &[("PORTARIA_PRODUTC_NAME", "x")]).unwrap_err().to_string();
    let expected = "did you mean PORTARIA_PRODUCT_NAME?";
    assert!(why.starts_with("PORTARIA_PRODUTC_NAME: ") && why.ends_with(expected), "{why}");
    let why = load(&path, &[("PORTARIA_XYZ", "x")]).unwrap_err().to_string();
    assert!(why.ends_with("portaria.toml lists all"), "{why}");

    for (text, expected) in [
        ("\nPORTARIA_SMTP_URI=x", "line 2: PORTARIA_SMTP_URI: there is no setting"),
        ("RUST_LOG=info", "line 1: RUST_LOG: the name of a setting begins with PORTARIA_"),
        ("PORTARIA_SIGNUP=talvez", "line 1: PORTARIA_SIGNUP: expected true or false"),
    ] {
        let (_folder, path) = file("office.env", text);
        let why = load(&path, &[]).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
}

/// Kubernetes sets them in each container beside a service named `portaria`.
#[test]
fn variables_of_service_links_are_ignored() {
    let (_folder, path) = file("office.env", "");
    let links = [
        ("PORTARIA_SERVICE_HOST", "10.0.0.1"),
        ("PORTARIA_PORT", "tcp://10.0.0.1:8080"),
        ("PORTARIA_PORT_8080_TCP_ADDR", "10.0.0.1"),
    ];
    load(&path, &links).unwrap();
    load(&path, &[("PORTARIA_PORT", "8080")]).unwrap_err();
}

#[test]
fn invalid_value_is_located() {
    let (_folder, path) = file("office.env", "\nPORTARIA_LISTEN=8080\n");
    let why = load(&path, &[]).unwrap().read().unwrap_err().to_string();
    assert!(why.ends_with(&format!("({}, line 2)", path.display())), "{why}");
    let why = load(&path, &[("PORTARIA_LISTEN", "80")]).unwrap().read().unwrap_err().to_string();
    assert!(why.starts_with("listen: ") && why.ends_with("(PORTARIA_LISTEN)"), "{why}");
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

/// The settings of the container image and of the compose file, whose variables are replaced by examples.
#[test]
fn settings_of_containers_are_valid() {
    let image = include_str!("../../../../packaging/Dockerfile");
    let compose = include_str!("../../../../packaging/compose/compose.yaml");
    let example = |name: &str, default: &str| match name {
        "PORTARIA_SITE_URL" => "https://portal.prado.com.br".to_owned(),
        "PORTARIA_JWT_SECRET" | "POSTGRES_PASSWORD" | "S3_SECRET" => "0f1e2d3c4b5a".repeat(4),
        "PORTARIA_BACKUP_KEY" => "uma frase comprida".to_owned(),
        _ => default.trim_start_matches(":-").trim_start_matches(":?").to_owned(),
    };
    let variable = Regex::new(r"\$\{(\w+)([^}]*)\}").unwrap();
    let expand = |value: &str| {
        variable
            .replace_all(value, |found: &Captures<'_>| example(&found[1], &found[2]))
            .into_owned()
    };
    let of_image = image.lines().find_map(|line| line.strip_prefix("ENV ")).unwrap();
    let of_image = of_image.split(' ').filter_map(|pair| pair.split_once('='));
    let of_compose = compose.lines().filter_map(|line| line.trim().split_once(": "));
    let environment = of_image.chain(of_compose.filter(|(name, _)| name.starts_with("PORTARIA_")));
    let environment: Vec<_> =
        environment.map(|(name, value)| (name.to_owned(), expand(value))).collect();
    assert!(environment.len() > 10, "{environment:?}");

    let sources = ConfigSources::load(Some(Path::new("/dev/null")), environment.into_iter());
    let config = sources.unwrap().read().unwrap();
    let database = config.database.unwrap();
    assert!(!database.tls && database.url.ends_with("@database/portaria"), "{}", database.url);
    let bucket = config.bucket.unwrap();
    assert_eq!((&*bucket.bucket, bucket.endpoint.as_deref()), ("portaria", Some("http://s3:8333")));
    assert!(config.listen.ip().is_unspecified() && config.metrics_listen.is_some());
    for part in ["read_only: true", "cap_drop: [ALL]", "no-new-privileges"] {
        assert!(compose.contains(part), "{part}");
    }
    assert!(image.contains("\nUSER portaria\n") && image.contains("\nHEALTHCHECK "));
}

/// The settings of the Kubernetes manifests, with the empty secrets filled in.
#[test]
fn settings_for_kubernetes_are_valid() {
    let settings = include_str!("../../../../packaging/kubernetes/portal.env");
    let secrets = include_str!("../../../../packaging/kubernetes/secrets.env.example");
    let lines = settings.lines().chain(secrets.lines()).filter(|line| !line.starts_with('#'));
    let environment = lines.map(|line| {
        let (name, value) = line.split_once('=').expect("each line is a variable");
        let value = if value.is_empty() { "0f1e2d3c4b5a".repeat(4) } else { value.to_owned() };
        (name.to_owned(), value)
    });
    let listen = ("PORTARIA_LISTEN".to_owned(), "0.0.0.0:8080".to_owned());
    let sources = ConfigSources::load(Some(Path::new("/dev/null")), environment.chain([listen]));
    let config = sources.unwrap().read().unwrap();
    assert!(
        config.database.as_ref().unwrap().tls
            && config.bucket.is_some()
            && config.backup_to.is_some()
    );
    assert!(config.mail_server.is_some() && config.portal_secret().is_some());
}
