"""Files with `storage3`: buckets, upload, download, lists, signed links, copies and deletion."""

import unittest
import uuid

import httpx
from supabase import StorageException

from office import ADMIN, anonymous, new_person, service, sign_in

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n%%EOF\n"


class StorageTest(unittest.TestCase):
    def setUp(self):
        self.storage = service().storage
        self.bucket = f"notas-{uuid.uuid4().hex[:8]}"
        self.storage.create_bucket(self.bucket, options={"public": False})
        self.files = self.storage.from_(self.bucket)

    def assert_refused(self, status, call, *arguments):
        with self.assertRaises(StorageException) as refusal:
            call(*arguments)
        self.assertEqual(str(refusal.exception.status), str(status))

    def upload(self, *paths):
        for path in paths:
            self.files.upload(path, b"texto", {"content-type": "text/plain"})

    def test_bucket_is_changed_emptied_and_deleted(self):
        limits = {"public": True, "file_size_limit": 4, "allowed_mime_types": ["text/plain"]}
        self.storage.update_bucket(self.bucket, limits)
        bucket = self.storage.get_bucket(self.bucket)
        self.assertEqual((bucket.public, bucket.file_size_limit, bucket.allowed_mime_types), (True, 4, ["text/plain"]))
        self.assertIn(self.bucket, [bucket.id for bucket in self.storage.list_buckets()])
        self.assert_refused(413, self.files.upload, "grande.txt", b"texto", {"content-type": "text/plain"})
        self.assert_refused(415, self.files.upload, "pagina.html", b"a", {"content-type": "text/html"})
        self.files.upload("a.txt", b"a", {"content-type": "text/plain"})
        self.assert_refused(409, self.storage.delete_bucket, self.bucket)
        self.storage.empty_bucket(self.bucket)
        self.storage.delete_bucket(self.bucket)
        self.assert_refused(404, self.storage.get_bucket, self.bucket)

    def test_file_is_uploaded_downloaded_and_replaced(self):
        path = "2026/Declaração anual.pdf"
        options = {"content-type": "application/pdf", "cache-control": "60", "metadata": {"de": "João"}}
        answer = self.files.upload(path, PDF, options)
        self.assertEqual((answer.path, answer.full_path), (path, f"{self.bucket}/{path}"))
        self.assertEqual(self.files.download(path), PDF)
        info = self.files.info(path)
        self.assertEqual((info["size"], info["content_type"]), (len(PDF), "application/pdf"))
        self.assertEqual((info["cache_control"], info["metadata"]), ("max-age=60", {"de": "João"}))
        self.assert_refused(409, self.files.upload, path, PDF)
        self.files.upload(path, PDF + b"%", {"upsert": "true", "content-type": "application/pdf"})
        self.assertEqual(self.files.download(path), PDF + b"%")
        self.files.update(path, PDF, {"content-type": "application/pdf"})
        self.assertEqual(self.files.download(path), PDF)

    def test_missing_file_does_not_exist(self):
        self.upload("a.txt")
        self.assertTrue(self.files.exists("a.txt"))
        self.assertFalse(self.files.exists("b.txt"))
        self.assert_refused(404, self.files.download, "b.txt")

    def test_list_shows_one_level_in_order(self):
        self.upload("b.txt", "a.txt", "pasta/c.txt")
        self.assertEqual([entry["name"] for entry in self.files.list()], ["a.txt", "b.txt", "pasta"])
        options = {"limit": 1, "offset": 1, "sortBy": {"column": "name", "order": "desc"}}
        self.assertEqual([entry["name"] for entry in self.files.list(options=options)], ["b.txt"])
        self.assertEqual([entry["name"] for entry in self.files.list("pasta")], ["c.txt"])
        self.assertEqual([entry["name"] for entry in self.files.list(options={"search": "b"})], ["b.txt"])

    def test_list_pages_with_a_cursor(self):
        self.upload("a.txt", "b.txt", "pasta/c.txt")
        first = self.files.list_v2({"limit": 2, "with_delimiter": True, "cursor": ""})
        self.assertEqual((first.hasNext, [found.name for found in first.objects]), (True, ["a.txt", "b.txt"]))
        second = self.files.list_v2({"limit": 2, "with_delimiter": True, "cursor": first.nextCursor})
        self.assertEqual((second.hasNext, [found.name for found in second.folders]), (False, ["pasta/"]))

    def test_signed_link_opens_a_file_without_a_key(self):
        path = "recibo nº 1.txt"
        self.upload(path)
        link = self.files.create_signed_url(path, 60, {"download": "recibo.txt"})["signedUrl"]
        answer = httpx.get(link)
        self.assertEqual((answer.status_code, answer.text), (200, "texto"))
        self.assertIn("recibo.txt", answer.headers["content-disposition"])
        self.assertEqual(httpx.get(link.replace("recibo%20", "outro%20")).status_code, 400)
        found, missing = self.files.create_signed_urls([path, "nenhum.txt"], 60)
        self.assertEqual(httpx.get(found["signedUrl"]).text, "texto")
        self.assertIsNotNone(missing["error"])

    def test_signed_link_takes_an_upload_without_a_key(self):
        link = self.files.create_signed_upload_url("entregue.txt")
        anyone = anonymous().storage.from_(self.bucket)
        anyone.upload_to_signed_url(link["path"], link["token"], b"texto", {"content-type": "text/plain"})
        self.assertEqual(self.files.download("entregue.txt"), b"texto")

    def test_public_file_needs_no_key(self):
        self.upload("logo.txt")
        address = self.files.get_public_url("logo.txt")
        self.assertEqual(httpx.get(address).status_code, 400)
        self.storage.update_bucket(self.bucket, {"public": True})
        self.assertEqual(httpx.get(address).text, "texto")

    def test_files_are_copied_moved_and_removed(self):
        self.upload("a.txt")
        self.files.copy("a.txt", "cópia/b.txt")
        self.files.move("a.txt", "c.txt")
        self.assertEqual([self.files.exists(path) for path in ("a.txt", "cópia/b.txt", "c.txt")], [False, True, True])
        removed = self.files.remove(["cópia/b.txt", "nenhum.txt"])
        self.assertEqual([entry["name"] for entry in removed], ["cópia/b.txt"])
        self.assertFalse(self.files.exists("cópia/b.txt"))

    def test_client_reaches_only_the_own_documents(self):
        joao, mariana = new_person("João"), new_person("Mariana")
        office = sign_in(ADMIN)
        folder = office.table("folders").select("id_supabase").eq("name", "Faturas").single().execute().data
        name = f"public/{joao['id']}/{folder['id_supabase']}/fatura.pdf"
        documents = office.storage.from_("client-documents")
        documents.upload(name, PDF, {"content-type": "application/pdf"})
        row = {"name": "Fatura", "type": "pdf", "file_url": name, "folder_id_supabase": folder["id_supabase"]}
        office.table("documents").insert(row).execute()
        own = sign_in(joao).storage.from_("client-documents")
        self.assertEqual(own.download(name), PDF)
        link = own.create_signed_url(name, 60)["signedUrl"]
        self.assertEqual(httpx.get(link).content, PDF)
        other = sign_in(mariana).storage.from_("client-documents")
        self.assert_refused(404, other.download, name)
        self.assert_refused(404, other.create_signed_url, name, 60)
        self.assert_refused(403, other.upload, name.replace("fatura", "outra"), PDF)


if __name__ == "__main__":
    unittest.main()
