//! Lists of files: one level or recursive, ordered and paged; for clients own files only.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::storage::{bucket, list, names, office, put};

async fn upload_files(portal: &TestPortal, bucket_id: &str, files: &[&str]) {
    bucket(portal, bucket_id, json!({})).await;
    for name in files {
        put(portal, &format!("{bucket_id}/{name}"), name).await.is(200);
        portal.advance(SignedDuration::from_secs(1));
    }
}

portal_test!(list_shows_one_level, async |portal| {
    let files = ["b.txt", "a/2.txt", "a/1.txt", "a/deep/x.txt", "A.txt", "a.txt", "a_/z", "100-"];
    upload_files(portal, "files", &files).await;
    let key = portal.app.keys.service_role.clone();
    let list = async |body: Value| list(portal, &key, "files", body).await;
    let root = list(json!({})).await;
    assert_eq!(names(&root), ["100-", "A.txt", "a.txt", "a", "a_", "b.txt"]);
    assert_eq!(
        root[3],
        json!({
            "name": "a", "id": null, "updated_at": null, "created_at": null, "last_accessed_at": null, "metadata": null,
        })
    );
    let file = &root[5];
    assert!(file["id"].is_string());
    assert_eq!(file["created_at"], "2026-11-21T15:00:00.000000+00:00");
    let metadata = file["metadata"].as_object().unwrap();
    assert_eq!(metadata["size"], 5);
    assert_eq!(metadata["mimetype"], "text/plain;charset=UTF-8");
    for name in ["eTag", "cacheControl", "lastModified", "contentLength", "httpStatusCode"] {
        assert!(metadata.contains_key(name), "{name}");
    }

    for (body, expected) in [
        (json!({"prefix": "a"}), vec!["1.txt", "2.txt", "deep"]),
        (json!({"prefix": "a/"}), vec!["1.txt", "2.txt", "deep"]),
        (json!({"prefix": "A"}), vec!["1.txt", "2.txt", "deep"]),
        (json!({"prefix": "a/deep"}), vec!["x.txt"]),
        (json!({"prefix": "nada"}), vec![]),
        // Wildcards have no special meaning here.
        (json!({"prefix": "a_"}), vec!["z"]),
        (json!({"prefix": "%"}), vec![]),
        (json!({"search": "a"}), vec!["A.txt", "a.txt", "a", "a_"]),
        (json!({"search": "B"}), vec!["b.txt"]),
        (json!({"search": "%"}), vec![]),
        (json!({"search": "a_"}), vec!["a_"]),
        (json!({"search": "a/d"}), vec!["a/deep"]),
        (json!({"prefix": "a", "search": "deep/"}), vec!["deep/x.txt"]),
        (json!({"limit": 2}), vec!["100-", "A.txt"]),
        (json!({"limit": 2, "offset": 2}), vec!["a.txt", "a"]),
        (json!({"limit": 1_000_000_000, "offset": 5}), vec!["b.txt"]),
        (json!({"offset": u64::MAX}), vec![]),
        (
            json!({"sortBy": {"column": "name", "order": "desc"}}),
            vec!["b.txt", "a_", "a", "a.txt", "A.txt", "100-"],
        ),
        // Folders have no time and come first.
        (
            json!({"sortBy": {"column": "created_at", "order": "asc"}}),
            vec!["a", "a_", "b.txt", "A.txt", "a.txt", "100-"],
        ),
        (
            json!({"sortBy": {"column": "updated_at", "order": "desc"}}),
            vec!["a_", "a", "100-", "a.txt", "A.txt", "b.txt"],
        ),
        (json!({"sortBy": {"column": "last_accessed_at"}, "limit": 3}), vec!["a", "a_", "b.txt"]),
        (
            json!({"sortBy": {}, "limit": null, "search": null}),
            vec!["100-", "A.txt", "a.txt", "a", "a_", "b.txt"],
        ),
    ] {
        assert_eq!(names(&list(body.clone()).await), expected, "{body}");
    }
});

portal_test!(invalid_list_request_is_rejected, async |portal| {
    for (way, body) in [
        ("list", json!({})),
        ("list", json!({"prefix": null})),
        ("list", json!({"prefix": 1})),
        ("list", json!({"prefix": "a\u{0}"})),
        ("list", json!({"prefix": "", "limit": 0})),
        ("list", json!({"prefix": "", "limit": -1})),
        ("list", json!({"prefix": "", "limit": 1.5})),
        ("list", json!({"prefix": "", "offset": -1})),
        ("list", json!({"prefix": "", "sortBy": {"column": "blob"}})),
        ("list", json!({"prefix": "", "sortBy": {"column": "name", "order": "up"}})),
        ("list-v2", json!([])),
        ("list-v2", json!({"limit": 0})),
        ("list-v2", json!({"cursor": "nonsense"})),
        ("list-v2", json!({"cursor": "e30"})),
        ("list-v2", json!({"with_delimiter": "yes"})),
        ("list-v2", json!({"sortBy": {"column": "owner_id"}})),
    ] {
        let request = office(portal, "POST", &format!("object/{way}/client-documents"));
        request.json(&body).send().await.refused(400, "InvalidRequest");
    }
    // A bucket that does not exist has no files.
    let ghost = office(portal, "POST", "object/list/ghost").json(&json!({"prefix": ""}));
    assert_eq!(ghost.send().await.is(200).json(), json!([]));
    let ghost = office(portal, "POST", "object/list-v2/ghost").json(&json!({}));
    assert_eq!(ghost.send().await.is(200).json()["objects"], json!([]));
});

/// All pages of a list with two entries per page: the files, the folders, and the number of pages.
async fn pages(portal: &TestPortal, mut body: Value) -> (Vec<String>, Vec<String>, usize) {
    let (mut objects, mut folders, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        body["limit"] = 2.into();
        let request = office(portal, "POST", "object/list-v2/files").json(&body);
        let page = request.send().await.is(200).json();
        objects.extend(names(&page["objects"]).into_iter().map(str::to_owned));
        folders.extend(names(&page["folders"]).into_iter().map(str::to_owned));
        count += 1;
        assert_eq!(page["hasNext"], page.get("nextCursor").is_some());
        if page["hasNext"] == false {
            return (objects, folders, count);
        }
        body["cursor"] = page["nextCursor"].clone();
    }
}

portal_test!(paged_list_shows_every_entry_once_in_order, async |portal| {
    let files = ["zz", "m/2", "bb", "m/1", "xx", "k/1", "m.txt"];
    upload_files(portal, "files", &files).await;
    office(portal, "PUT", "object/files/bb").bytes("text/plain", "new").send().await.is(200);
    let sorted = |column: &str, order: &str| json!({"column": column, "order": order});
    for (body, objects, folders) in [
        (json!({}), vec!["bb", "k/1", "m.txt", "m/1", "m/2", "xx", "zz"], vec![]),
        (
            json!({"sortBy": sorted("name", "desc")}),
            vec!["zz", "xx", "m/2", "m/1", "m.txt", "k/1", "bb"],
            vec![],
        ),
        (json!({"sortBy": sorted("created_at", "asc")}), files.to_vec(), vec![]),
        (
            json!({"sortBy": sorted("updated_at", "desc")}),
            vec!["bb", "m.txt", "k/1", "xx", "m/1", "m/2", "zz"],
            vec![],
        ),
        (json!({"prefix": "m"}), vec!["m.txt", "m/1", "m/2"], vec![]),
        (json!({"prefix": "m/"}), vec!["m/1", "m/2"], vec![]),
        (json!({"prefix": "M"}), vec![], vec![]),
        (json!({"prefix": "_"}), vec![], vec![]),
        (json!({"with_delimiter": true}), vec!["bb", "m.txt", "xx", "zz"], vec!["k/", "m/"]),
        (
            json!({"with_delimiter": true, "sortBy": sorted("name", "desc")}),
            vec!["zz", "xx", "m.txt", "bb"],
            vec!["m/", "k/"],
        ),
        // The time of a folder is that of its first file.
        (
            json!({"with_delimiter": true, "sortBy": sorted("created_at", "asc")}),
            vec!["zz", "bb", "xx", "m.txt"],
            vec!["m/", "k/"],
        ),
        (
            json!({"with_delimiter": true, "sortBy": sorted("updated_at", "desc")}),
            vec!["bb", "m.txt", "xx", "zz"],
            vec!["k/", "m/"],
        ),
        (json!({"with_delimiter": true, "prefix": "m"}), vec!["m.txt"], vec!["m/"]),
        (json!({"with_delimiter": true, "prefix": "m/"}), vec!["m/1", "m/2"], vec![]),
    ] {
        let found = pages(portal, body.clone()).await;
        let count = (objects.len() + folders.len()).div_ceil(2).max(1);
        assert_eq!(found, (own(&objects), own(&folders), count), "{body}");
    }
    let body = json!({"with_delimiter": true, "prefix": "m"});
    let page = office(portal, "POST", "object/list-v2/files").json(&body).send().await.is(200);
    let page = page.json();
    assert_eq!(page["folders"][0], json!({"name": "m/", "key": "m"}));
    assert_eq!(page["objects"][0]["key"], "m.txt");
    assert!(page["objects"][0]["metadata"]["size"].is_number());
});

fn own(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The result of both kinds of lists for a user.
async fn listed_for(portal: &TestPortal, user: &TestUser, prefix: &str) -> Vec<Value> {
    let mut listed_for = Vec::new();
    for (way, body) in [
        ("list", json!({"prefix": prefix, "limit": 1_000_000_000})),
        ("list", json!({"prefix": prefix, "sortBy": {"column": "created_at", "order": "desc"}})),
        ("list", json!({"prefix": "", "search": prefix})),
        ("list-v2", json!({"prefix": prefix})),
        ("list-v2", json!({"prefix": prefix, "with_delimiter": true})),
    ] {
        let request = portal.post(&format!("/storage/v1/object/{way}/client-documents"));
        listed_for.push(request.auth(user).json(&body).send().await.is(200).json());
    }
    listed_for
}

portal_test!(client_list_contains_files_of_own_documents, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.document(&joao, "contratos", "a.pdf").await;
    portal.document_with(&joao, "contratos", "b.pdf", json!({"status": "pending"})).await;
    portal.upload(&joao, "contratos", "solto.pdf").await;
    let before: Vec<Vec<Value>> = vec![
        listed_for(portal, &joao, "").await,
        listed_for(portal, &joao, "public/").await,
        listed_for(portal, &joao, &format!("public/{}/", joao.id)).await,
    ];
    portal.document(&maria, "contratos", "segredo.pdf").await;
    portal.document(&maria, "faturas", "segredo.pdf").await;
    let token = &joao.token;
    for (prefix, expected) in [
        (String::new(), vec!["public".to_owned()]),
        ("public".to_owned(), vec![joao.id.clone()]),
        (format!("public/{}", joao.id), vec!["contratos".to_owned()]),
        (format!("public/{}/contratos", joao.id), vec!["a.pdf".to_owned()]),
    ] {
        let listed = list(portal, token, "client-documents", json!({"prefix": prefix})).await;
        assert_eq!(names(&listed), expected);
    }
    // Files of other clients do not change the result.
    assert_eq!(listed_for(portal, &joao, "").await, before[0]);
    assert_eq!(listed_for(portal, &joao, "public/").await, before[1]);
    assert_eq!(listed_for(portal, &joao, &format!("public/{}/", joao.id)).await, before[2]);
    let ghost = "01a1fe9f-0000-7000-8000-000000000000";
    for prefix in ["public/{}", "public/{}/", "public/{}/contratos", "public/x/../{}"] {
        let theirs = listed_for(portal, &joao, &prefix.replace("{}", &maria.id)).await;
        assert_eq!(
            theirs,
            listed_for(portal, &joao, &prefix.replace("{}", ghost)).await,
            "{prefix}"
        );
        assert_eq!(theirs[0], json!([]));
    }
    let nobody = list(portal, &portal.app.keys.anon, "client-documents", json!({})).await;
    assert_eq!(nobody, json!([]));
});
