//! Transformed images: formats, access, and hostile files.

use std::io::Cursor;

use image::{DynamicImage, ImageEncoder, ImageFormat, RgbImage, codecs::jpeg::JpegEncoder};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::storage::{bucket, office, on_disk};

/// A picture whose left half is red and whose right half is blue.
fn picture(width: u32, height: u32) -> DynamicImage {
    let color = |x: u32| if x < width / 2 { [255, 0, 0] } else { [0, 0, 255] };
    RgbImage::from_fn(width, height, |x, _| color(x).into()).into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(super) fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&picture(width, height), ImageFormat::Png)
}

/// The picture as a photo, whose metadata state this orientation.
fn photo(orientation: u8) -> Vec<u8> {
    // A TIFF header with one entry. Orientation 6 is a quarter turn clockwise.
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    exif[18] = orientation;
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 95);
    encoder.set_exif_metadata(exif).unwrap();
    picture(40, 20).write_with_encoder(encoder).unwrap();
    bytes
}

/// A gray JPEG file of 8 × 8 pixels with a number of scans: the average color, and the frequencies one by one.
fn progressive(scans: u8) -> Vec<u8> {
    let quantization = [&b"\xFF\xD8\xFF\xDB\0\x43\0"[..], &[1; 64]].concat();
    let frame = b"\xFF\xC2\0\x0B\x08\0\x08\0\x08\x01\x01\x11\0".to_vec();
    // A table with a single code, which says that nothing follows.
    let table = |id: u8| [&b"\xFF\xC4\0\x14"[..], &[id, 1], &[0; 16]].concat();
    let scan = |frequency: u8| {
        [&b"\xFF\xDA\0\x08\x01\x01\0"[..], &[frequency, frequency, 0, 0x7F]].concat()
    };
    let scans = (0..scans).flat_map(scan).collect();
    [quantization, frame, table(0), table(0x10), scans, b"\xFF\xD9".to_vec()].concat()
}

/// A JPEG file with 22 scans, of which a reader sees one that takes the bytes `FF 00` for a segment of their length.
fn hidden_scans() -> Vec<u8> {
    let plain = progressive(22);
    let start = plain.windows(2).position(|bytes| bytes == [0xFF, 0xDA]).unwrap();
    // The last scan and the end of the image.
    let end = plain.len() - 13;
    let comment = 0xFFDA - (end - start);
    let length = u16::try_from(comment - 2).unwrap().to_be_bytes();
    let [scans, last] = [&plain[start..end], &plain[end..]];
    let filler = vec![0; comment - 4];
    [&plain[..start], b"\xFF\0", scans, b"\xFF\xFE", &length[..], &filler[..], last].concat()
}

/// The dimensions of an answered image, whose type must be the announced one.
pub(super) fn size_of(answer: &Answer) -> (u32, u32) {
    let format = ImageFormat::from_mime_type(answer.header("content-type")).unwrap();
    let image = image::load_from_memory_with_format(&answer.body, format).unwrap();
    (image.width(), image.height())
}

pub(super) async fn upload(portal: &TestPortal, name: &str, bytes: Vec<u8>) {
    let request = office(portal, "POST", &format!("object/{name}")).header("x-upsert", "true");
    request.bytes("image/any", bytes).send().await.is(200);
}

pub(super) async fn public(portal: &TestPortal, place: &str) -> Answer {
    portal.get(&format!("/storage/v1/render/image/public/{place}")).without("apikey").send().await
}

/// A released document of a client that is a picture. Returns the name of its file.
pub(super) async fn document(portal: &TestPortal, client: &TestUser) -> String {
    let path = format!("public/{}/contratos/a.png", client.id);
    upload(portal, &format!("client-documents/{path}"), png(40, 20)).await;
    let row = json!({
        "name": "a.png", "folder_id_supabase": "contratos", "type": "png", "file_url": path,
        "uploaded_at": portal.now().to_string(),
    });
    portal.insert("documents", row).await;
    path
}

portal_test!(image_is_reduced_in_its_format, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    for (name, format) in
        [("a.png", ImageFormat::Png), ("a.jpg", ImageFormat::Jpeg), ("a.webp", ImageFormat::WebP)]
    {
        upload(portal, &format!("fotos/{name}"), encoded(&picture(40, 20), format)).await;
        for (query, size, described) in [
            ("width=10", (10, 5), "width:10,resizing_type:fill"),
            ("width=10&height=10", (10, 10), "height:10,width:10,resizing_type:fill"),
            ("width=10&height=10&resize=contain", (10, 5), "height:10,width:10,resizing_type:fit"),
            ("width=10&height=10&resize=fill", (10, 10), "height:10,width:10,resizing_type:force"),
            ("width=400", (40, 20), "width:400,resizing_type:fill"),
            ("quality=20", (40, 20), "quality:20"),
        ] {
            let reduced = public(portal, &format!("fotos/{name}?{query}")).await.is(200);
            assert_eq!(size_of(&reduced), size, "{name} {query}");
            assert_eq!(reduced.header("content-type"), format.to_mime_type());
            assert_eq!(reduced.header("x-transformations"), described);
            assert_eq!(reduced.header("content-disposition"), "");
            assert_eq!(reduced.header("x-content-type-options"), "nosniff");
            assert_eq!(reduced.header("content-security-policy"), "default-src 'none'; sandbox");
            let known =
                portal.get(&format!("/storage/v1/render/image/public/fotos/{name}?{query}"));
            let known = known.header("if-none-match", reduced.header("etag")).send().await;
            known.is(304);
        }
        let webp = public(portal, &format!("fotos/{name}?width=10&format=webp")).await.is(200);
        assert_eq!((webp.header("content-type"), size_of(&webp)), ("image/webp", (10, 5)));
        let named = public(portal, &format!("fotos/{name}?width=10&download=b.png")).await.is(200);
        assert!(named.header("content-disposition").starts_with("attachment; filename=b.png;"));
    }
    // Cover shows the middle: both colors.
    let cover = public(portal, "fotos/a.png?width=10&height=20").await.is(200);
    let cover = image::load_from_memory(&cover.body).unwrap().into_rgb8();
    assert_eq!((cover.get_pixel(0, 0).0, cover.get_pixel(9, 0).0), ([255, 0, 0], [0, 0, 255]));

    for query in [
        "width=-1",
        "width=x",
        "quality=10",
        "resize=x",
        "format=avif",
        "height=1.5",
        "gravity=up",
        "x_offset=x",
    ] {
        let refused = public(portal, &format!("fotos/a.png?{query}")).await;
        let refused = refused.refused(400, "InvalidRequest").json();
        let name = query.split('=').next().unwrap();
        assert!(refused["message"].as_str().unwrap().contains(name), "{refused}");
    }
});

portal_test!(gravity_chooses_the_shown_part, async |portal| {
    let colors = |answer: &Answer| {
        let image = image::load_from_memory(&answer.body).unwrap().into_rgb8();
        [image.get_pixel(1, 1).0, image.get_pixel(image.width() - 2, image.height() - 2).0]
            .map(|[red, _, blue]| if red > 200 && blue < 60 { "red" } else { "blue" })
    };
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.png", png(40, 20)).await;
    for (gravity, shown) in [
        ("gravity=we", ["red", "red"]),
        ("gravity=noea", ["blue", "blue"]),
        ("gravity=ce&x_offset=-10", ["red", "red"]),
        ("gravity=sm", ["red", "blue"]),
        ("gravity=fp&x_offset=0&y_offset=1", ["red", "red"]),
        ("gravity=fp&x_offset=1&y_offset=0", ["blue", "blue"]),
    ] {
        let part = public(portal, &format!("fotos/a.png?width=20&height=20&{gravity}")).await;
        assert_eq!(colors(&part.is(200)), shown, "{gravity}");
    }
    let refused = public(portal, "fotos/a.png?width=10&gravity=fp&x_offset=1").await;
    let refused = refused.refused(400, "InvalidRequest").json();
    assert_eq!(refused["message"], "Focal point requires x and y coordinates within 0-1 range");

    // The directions are those of the upright photo, whatever its metadata state.
    for (orientation, upright) in [
        (1, ["red", "blue"]),
        (2, ["blue", "red"]),
        (3, ["blue", "red"]),
        (4, ["red", "blue"]),
        (5, ["red", "blue"]),
        (6, ["red", "blue"]),
        (7, ["blue", "red"]),
        (8, ["blue", "red"]),
    ] {
        upload(portal, "fotos/a.jpg", photo(orientation)).await;
        let (start, end) = if orientation < 5 { ("we", "ea") } else { ("no", "so") };
        for (gravity, shown) in [start, end].into_iter().zip(upright) {
            let place = format!("fotos/a.jpg?width=20&height=20&gravity={gravity}");
            let part = public(portal, &place).await.is(200);
            assert_eq!(colors(&part), [shown, shown], "{orientation} {gravity}");
        }
    }
});

portal_test!(photo_is_turned_as_its_metadata_state, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    upload(portal, "fotos/a.jpg", photo(6)).await;
    let upright = public(portal, "fotos/a.jpg?width=10").await.is(200);
    assert_eq!(size_of(&upright), (10, 20));
    let upright = image::load_from_memory(&upright.body).unwrap().into_rgb8();
    let (top, bottom) = (upright.get_pixel(5, 1).0, upright.get_pixel(5, 18).0);
    assert!(top[0] > 200 && top[2] < 60, "{top:?}");
    assert!(bottom[2] > 200 && bottom[0] < 60, "{bottom:?}");
});

portal_test!(wrong_checksums_of_png_are_accepted, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    let mut bytes = png(40, 20);
    let mut place = 8;
    while place < bytes.len() {
        let length: [u8; 4] = bytes[place..place + 4].try_into().unwrap();
        place += 12 + u32::from_be_bytes(length) as usize;
        bytes[place - 1] ^= 1;
    }
    upload(portal, "fotos/a.png", bytes).await;
    let image = public(portal, "fotos/a.png?width=10").await.is(200);
    assert_eq!(size_of(&image), (10, 5));
});

portal_test!(transformed_image_has_no_encoding, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    let request = office(portal, "POST", "object/fotos/a.png").header("content-encoding", "gzip");
    request.bytes("image/png", png(40, 20)).send().await.is(200);
    let image = public(portal, "fotos/a.png?width=10").await.is(200);
    assert_eq!((image.header("content-encoding"), size_of(&image)), ("", (10, 5)));
    assert_eq!(image.header("content-disposition"), "");
});

portal_test!(drawing_is_sent_unchanged_as_a_download, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let request = office(portal, "POST", "object/fotos/a.svg");
    request.bytes("image/svg+xml", drawing).send().await.is(200);
    let sign = office(portal, "POST", "object/sign/fotos/a.svg");
    let link = sign.json(&json!({"expiresIn": 60, "transform": {"width": 10}})).send().await;
    let link = format!("/storage/v1{}", link.is(200).json()["signedURL"].as_str().unwrap());
    let signed = portal.get(&link).without("apikey").send().await;
    for answer in [public(portal, "fotos/a.svg?width=10&format=webp").await, signed] {
        let answer = answer.is(200);
        assert_eq!(answer.body, drawing);
        assert_eq!(answer.header("content-type"), "application/octet-stream");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
        assert!(answer.header("content-disposition").starts_with("attachment; filename=a.svg;"));
        assert_eq!(answer.header("x-transformations"), "");
    }
});

portal_test!(transformed_image_is_as_private_as_its_file, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let path = document(portal, &joao).await;
    let at = |path: &str| {
        format!("/storage/v1/render/image/authenticated/client-documents/{path}?width=10")
    };
    let own = portal.get(&at(&path)).auth(&joao).send().await.is(200);
    assert_eq!(size_of(&own), (10, 5));
    assert_eq!(own.header("cache-control"), "private, no-cache");
    // The cache does not change what other callers see.
    let ghost = path.replace("a.png", "b.png");
    for token in [&maria.token, &portal.app.keys.anon] {
        let theirs = portal.get(&at(&path)).bearer(token).send().await;
        let missing = portal.get(&at(&ghost)).bearer(token).send().await;
        assert_eq!(theirs.refused(400, "NoSuchKey").seen(), missing.seen());
    }
    public(portal, &format!("client-documents/{path}?width=10")).await.refused(400, "NoSuchBucket");

    let reported = async || {
        let lines = portal.get("/rest/v1/activity?select=event&event=eq.file.opened").auth(&ana);
        lines.send().await.is(200).json().as_array().unwrap().len()
    };
    portal.get(&at(&path)).auth(&ana).send().await.is(200);
    assert_eq!(reported().await, 1);
});

portal_test!(signed_link_shows_the_signed_transformation_alone, async |portal| {
    let joao = portal.client("joao").await;
    let path = document(portal, &joao).await;
    let sign = async |transform: Value| {
        let request = portal.post(&format!("/storage/v1/object/sign/client-documents/{path}"));
        let body = json!({"expiresIn": 60, "transform": transform});
        request.auth(&joao).json(&body).send().await
    };
    let link = sign(json!({"width": 10, "height": "10"})).await.is(200).json();
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    assert!(link.starts_with("/storage/v1/render/image/sign/client-documents/"), "{link}");
    let open = async |link: &str| portal.get(link).without("apikey").send().await;
    let shown = open(&format!("{link}&width=40&resize=contain")).await.is(200);
    assert_eq!(size_of(&shown), (10, 10));
    assert!(shown.header("expires").ends_with("GMT"));
    assert_eq!(shown.header("x-transformations"), "height:10,width:10,resizing_type:fill");
    let original = link.replace("/render/image/sign/", "/object/sign/");
    open(&original).await.refused(400, "InvalidSignature");
    for transform in [json!({"width": -1}), json!({"quality": 5}), json!("x")] {
        sign(transform).await.refused(400, "InvalidRequest");
    }
    let plain = sign(json!({"format": "origin"})).await.is(200).json();
    assert!(plain["signedURL"].as_str().unwrap().starts_with("/object/sign/"), "{plain}");
    portal.advance(SignedDuration::from_secs(60));
    open(&link).await.refused(400, "InvalidJWT");
});

portal_test!(hostile_image_is_refused, async |portal| {
    bucket(portal, "fotos", json!({"public": true})).await;
    let header = |width: u32, height: u32| {
        let mut bytes = png(1, 1);
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let mut checksum = flate2::Crc::new();
        checksum.update(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&checksum.sum().to_be_bytes());
        bytes
    };
    let cut = |format: ImageFormat| {
        let mut bytes = encoded(&picture(400, 400), format);
        bytes.truncate(bytes.len() / 2);
        bytes
    };
    let too_large = "The source image resolution is too large to process";
    let invalid = "The source image is invalid or unsupported for rendering";
    for (name, bytes, message) in [
        ("huge.png", header(60_000, 60_000), too_large),
        ("wide.png", header(u32::MAX >> 1, 1), too_large),
        ("long.png", header(1, 65_536), too_large),
        ("empty.png", header(0, 10), invalid),
        // The pixels are missing.
        ("short.png", header(4000, 4000), invalid),
        ("cut.png", cut(ImageFormat::Png), invalid),
        ("cut.jpg", cut(ImageFormat::Jpeg), invalid),
        ("scans.jpg", progressive(21), invalid),
        ("hidden.jpg", hidden_scans(), invalid),
        ("cut.webp", cut(ImageFormat::WebP), invalid),
        ("magic.jpg", b"\xFF\xD8\xFF\xE0\0\x10JFIF\0".to_vec(), invalid),
        ("text.png", b"no image".to_vec(), invalid),
    ] {
        upload(portal, &format!("fotos/{name}"), bytes).await;
        let refused = public(portal, &format!("fotos/{name}?width=10")).await;
        let refused = refused.refused(400, "InvalidRequest").json();
        assert_eq!(refused["message"], message, "{name}");
    }
    // A refusal leaves nothing behind, and the next image is transformed.
    assert_eq!(on_disk(portal), (12, 0));
    upload(portal, "fotos/a.png", png(40, 20)).await;
    assert_eq!(size_of(&public(portal, "fotos/a.png?width=10").await.is(200)), (10, 5));
    upload(portal, "fotos/a.jpg", progressive(20)).await;
    assert_eq!(size_of(&public(portal, "fotos/a.jpg?width=4").await.is(200)), (4, 4));
});
