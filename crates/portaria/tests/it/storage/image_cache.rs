//! The cache of transformed images: its size, its repair, and the queue of the images that it lacks.

use futures_util::{StreamExt, stream::FuturesUnordered};
use jiff::SignedDuration;
use portaria::{
    app::IMAGE_MEMORY,
    jobs::{garbage_collect, orphan_blobs},
};
use serde_json::json;

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::storage::images::{document, png, public, size_of, upload};
use crate::storage::{bucket, office, on_disk};

/// Bytes that an image counts in the cache beside its own.
const OVERHEAD: usize = 16 << 10;

portal_test!(transformed_image_is_cached_until_its_file_changes, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;
    for _ in 0..2 {
        public(portal, "fotos/a.png?width=10").await.is(200);
        public(portal, "fotos/a.png?width=10&height=0&format=origin").await.is(200);
    }
    assert_eq!(on_disk(portal), (2, 0));
    let sweep = async || {
        // File times come from the system clock, not from the clock of the test.
        let written = std::time::SystemTime::from(portal.now());
        for blob in portal.files_in("blobs") {
            std::fs::File::open(blob).unwrap().set_modified(written).unwrap();
        }
        portal.advance(SignedDuration::from_hours(25));
        for part in 0..orphan_blobs::PARTS {
            orphan_blobs::run(&portal.app, part).await.unwrap();
        }
        // The delay of the deletion queue.
        portal.advance(SignedDuration::from_hours(1));
        garbage_collect::run(&portal.app).await.unwrap();
    };
    sweep().await;
    assert_eq!(on_disk(portal), (2, 0));

    upload(portal, "fotos/a.png", png(60, 60)).await;
    assert_eq!(size_of(&public(portal, "fotos/a.png?width=10").await.is(200)), (10, 10));
    sweep().await;
    assert_eq!(on_disk(portal), (2, 0));
    let body = json!({"bucketId": "fotos", "sourceKey": "a.png", "destinationKey": "b.png"});
    office(portal, "POST", "object/move").json(&body).send().await.is(200);
    assert_eq!(size_of(&public(portal, "fotos/b.png?width=10").await.is(200)), (10, 10));
    sweep().await;
    assert_eq!(on_disk(portal), (2, 0));
    office(portal, "DELETE", "object/fotos/b.png").send().await.is(200);
    public(portal, "fotos/b.png?width=10").await.refused(400, "NoSuchKey");
    sweep().await;
    assert_eq!(on_disk(portal), (0, 0));
});

portal_test!(cache_has_a_size_and_counts_to_no_quota, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    let original = png(400, 400);
    portal.set("quota", &(2 * original.len()).to_string());
    upload(portal, "fotos/a.png", original).await;
    let bytes = |answer: &Answer| answer.body.len();
    let first = bytes(&public(portal, "fotos/a.png?width=300").await.is(200));
    let second = bytes(&public(portal, "fotos/a.png?width=301").await.is(200));
    portal.set("image_cache", &(first + second + 2 * OVERHEAD).to_string());
    for width in 302..310 {
        portal.advance(SignedDuration::from_secs(1));
        public(portal, &format!("fotos/a.png?width={width}")).await.is(200);
        let kept = portal.files_in("blobs");
        assert!((2..=3).contains(&kept.len()), "{kept:?}");
    }
    // An evicted image is made again.
    assert_eq!(size_of(&public(portal, "fotos/a.png?width=300").await.is(200)), (300, 300));
    upload(portal, "fotos/b.png", png(10, 10)).await;
});

portal_test!(tiny_images_do_not_fill_the_disk, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;
    portal.set("image_cache", &(4 * OVERHEAD).to_string());
    // Offsets that show the same share a place.
    for offset in ["0.00001", "0.00002", "-0", "1e-9"] {
        let place = format!("fotos/a.png?width=1&height=1&gravity=ce&x_offset={offset}");
        public(portal, &place).await.is(200);
    }
    assert_eq!(on_disk(portal), (2, 0));
    for width in 1..=10 {
        portal.advance(SignedDuration::from_secs(1));
        public(portal, &format!("fotos/a.png?width={width}")).await.is(200);
    }
    // The original and at most three others, each of less than a hundred bytes.
    assert_eq!(on_disk(portal), (4, 0));
});

portal_test!(image_is_sent_when_it_cannot_be_stored, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;
    portal.set("min_free_space", "8000000000 GiB");
    let place = "/storage/v1/render/image/public/fotos/a.png?width=10";
    let whole = portal.get(place).without("apikey").send().await.is(200);
    assert_eq!(size_of(&whole), (10, 5));
    let part = portal.get(place).without("apikey").header("range", "bytes=5-9").send().await;
    let part = part.is(206);
    assert_eq!(part.body, whole.body[5..10]);
    assert_eq!(part.header("etag"), whole.header("etag"));
    assert_eq!(on_disk(portal), (1, 0));
    portal.set("min_free_space", "1 B");
    portal.advance(SignedDuration::from_mins(1));
    let stored = portal.get(place).without("apikey").send().await.is(200);
    assert_eq!((&stored.body, stored.header("etag")), (&whole.body, whole.header("etag")));
    assert_eq!(on_disk(portal), (2, 0));
});

portal_test!(missing_image_is_made_again, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;
    let originals = portal.files_in("blobs");
    let whole = public(portal, "fotos/a.png?width=10").await.is(200);
    for _ in 0..2 {
        let blobs = portal.files_in("blobs");
        let cached = blobs.iter().find(|blob| !originals.contains(blob)).unwrap();
        std::fs::remove_file(cached).unwrap();
        let again = public(portal, "fotos/a.png?width=10").await.is(200);
        assert_eq!((&again.body, again.header("etag")), (&whole.body, whole.header("etag")));
        assert_eq!(on_disk(portal), (2, 0));
    }
});

portal_test!(simultaneous_requests_store_one_image, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(400, 400)).await;
    let requests = (0..8).map(|_| public(portal, "fotos/a.png?width=100"));
    for answer in futures_util::future::join_all(requests).await {
        assert_eq!(size_of(&answer.is(200)), (100, 100));
    }
    assert_eq!(on_disk(portal), (2, 0));
});

/// Requests an image of 40 pixels as a client, or a public one without an account.
async fn ask(portal: &TestPortal, own: Option<(&TestUser, &str)>, width: u32) -> (bool, Answer) {
    let place = own.map_or("public/fotos/a.png".to_owned(), |(_, path)| {
        format!("authenticated/client-documents/{path}")
    });
    let request = portal.get(&format!("/storage/v1/render/image/{place}?width={width}"));
    let request = match own {
        Some((client, _)) => request.auth(client).from("203.0.113.9"),
        None => request.without("apikey").from("203.0.113.8"),
    };
    (own.is_some(), request.send().await)
}

portal_test!(visitors_do_not_delay_the_images_of_clients, async |portal| {
    let joao = portal.client("joao").await;
    let path = document(portal, &joao).await;
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;

    // Another image is transformed until all others wait.
    let turn = portal.app.image_memory.try_acquire(None, IMAGE_MEMORY).unwrap();
    let mut answers = FuturesUnordered::new();
    for own in [None, Some((&joao, path.as_str()))] {
        answers.extend((1..=33).map(|width| ask(portal, own, width)));
        let (is_client, refused) = answers.next().await.unwrap();
        assert_eq!((is_client, refused.status.as_u16()), (own.is_some(), 503));
        assert_eq!(refused.header("retry-after"), "1");
    }
    drop(turn);
    let mut first_clients = 0;
    for number in 0..64 {
        let (is_client, answer) = answers.next().await.unwrap();
        answer.is(200);
        first_clients += usize::from(is_client && number < 8);
    }
    assert!(first_clients >= 2, "{first_clients}");
});
