//! The address of a bucket in an S3-compatible store.

use anyhow::{anyhow, bail};
use percent_encoding::percent_decode_str;
use portaria_blob::S3Location;
use serde::Deserializer;
use url::Url;

use crate::config::units;

/// Deserializes the bucket for files.
pub(crate) fn storage_url<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<S3Location>, D::Error> {
    units::optional(source, |text| parse_location("storage_url", text))
}

/// Parses the bucket's address from the setting `name`. Error messages never quote it, because it contains a secret.
pub(crate) fn parse_location(name: &str, text: &str) -> anyhow::Result<S3Location> {
    let invalid = |why: &str| {
        anyhow!(
            "{name}: {why}; expected s3://key:secret@bucket?endpoint=https://host&region=name, \
             with special characters in key and secret written like %2F"
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| invalid("this is no address"))?;
    if url.scheme() != "s3" {
        return Err(invalid("it does not begin with s3://"));
    }
    let bucket = url.host_str().unwrap_or_default().to_owned();
    if bucket.is_empty() || url.port().is_some() || url.fragment().is_some() {
        return Err(invalid("there is no bucket"));
    }
    let (mut endpoint, mut region) = (None, "us-east-1".to_owned());
    for (option, value) in url.query_pairs() {
        match &*option {
            "endpoint" => {
                let server = Url::parse(&value).ok().filter(|url| {
                    matches!(url.scheme(), "http" | "https")
                        && url.path() == "/"
                        && url.query().is_none()
                });
                let server =
                    server.ok_or_else(|| invalid("endpoint is no http:// or https:// address"))?;
                endpoint = Some(server.as_str().trim_end_matches('/').to_owned());
            }
            "region" if !value.is_empty() => region = value.into_owned(),
            _ => return Err(invalid("behind ? stand endpoint and region alone")),
        }
    }
    let decoded = |text: &str| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.map(String::from).map_err(|_| invalid("key or secret is no text"))
    };
    let access_key_id = decoded(url.username())?;
    let secret_access_key = decoded(url.password().unwrap_or_default())?;
    if access_key_id.is_empty() || secret_access_key.is_empty() {
        return Err(invalid("key or secret is missing"));
    }
    let prefix = url.path().trim_matches('/').to_owned();
    Ok(S3Location { bucket, prefix, endpoint, region, access_key_id, secret_access_key })
}

/// Checks that browsers can follow a redirect from the portal to the bucket.
pub(crate) fn check_redirect(bucket: Option<&S3Location>, site_url: &str) -> anyhow::Result<()> {
    let Some(bucket) = bucket else {
        bail!("storage_redirect: it needs a bucket in storage_url");
    };
    let is_plain = bucket.endpoint.as_deref().is_some_and(|url| url.starts_with("http://"));
    if is_plain && site_url.starts_with("https://") {
        bail!("storage_redirect: the endpoint in storage_url must be https://, as site_url is");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::config::s3::{check_redirect, parse_location};

    #[test]
    fn redirect_needs_a_bucket_that_browsers_follow_to() {
        let check = |url: Option<&str>, site| {
            let bucket = url.map(|url| parse_location("storage_url", url).unwrap());
            check_redirect(bucket.as_ref(), site).is_ok()
        };
        let plain = "s3://k:s@portal?endpoint=http://10.0.0.2:9000";
        assert!(!check(None, "https://portal.example"));
        assert!(!check(Some(plain), "https://portal.example"));
        assert!(check(Some(plain), "http://portal.example"));
        assert!(check(Some(&plain.replace("http:", "https:")), "https://portal.example"));
        assert!(check(Some("s3://k:s@portal"), "https://portal.example"));
    }

    #[test]
    fn bucket_url_is_parsed_with_defaults() {
        let read = |text| parse_location("storage_url", text).unwrap();
        let amazon = read("s3://AKIA:a%2Fb@portal?region=sa-east-1");
        assert_eq!((&*amazon.bucket, &*amazon.region), ("portal", "sa-east-1"));
        assert_eq!((&*amazon.access_key_id, &*amazon.secret_access_key), ("AKIA", "a/b"));
        assert_eq!((amazon.endpoint, &*amazon.prefix), (None, ""));
        let own = read("s3://k:s@portal/escritorio/?endpoint=http://10.0.0.2:9000");
        assert_eq!(own.endpoint.as_deref(), Some("http://10.0.0.2:9000"));
        assert_eq!((&*own.prefix, &*own.region), ("escritorio", "us-east-1"));
    }

    #[test]
    fn invalid_bucket_url_is_refused_without_its_secret() {
        for text in [
            "portal",
            "https://portal",
            "s3://",
            "s3://portal",
            "s3://k@portal",
            "s3://k:s3cr3t@portal?endpoint=minio:9000",
            "s3://k:s3cr3t@portal?endpoint=https://host/path",
            "s3://k:s3cr3t@portal?acl=public",
        ] {
            let why = parse_location("storage_url", text).unwrap_err().to_string();
            assert!(why.starts_with("storage_url: ") && !why.contains("s3cr3t"), "{text}: {why}");
        }
    }
}
