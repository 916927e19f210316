"""Rows with `postgrest`: reading, writing, embeds, counts, functions and refusals."""

import unittest

from supabase import PostgrestAPIError

from office import ADMIN, anonymous, new_person, sign_in


class TablesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.office = sign_in(ADMIN)
        cls.joao = new_person("João")

    def assert_refused(self, code, query):
        with self.assertRaises(PostgrestAPIError) as refusal:
            query.execute()
        self.assertEqual(refusal.exception.code, code)

    def replies(self, *titles):
        rows = [{"title": title, "body": f"texto de {title}"} for title in titles]
        return [row["id"] for row in self.office.table("saved_replies").insert(rows).execute().data]

    def test_rows_are_inserted_changed_and_deleted(self):
        table = lambda: self.office.table("saved_replies")
        first, second = self.replies("Bom dia", "Boa tarde")
        self.assertEqual(table().update({"body": "novo"}).eq("id", first).execute().data[0]["body"], "novo")
        changed = [{"id": first, "title": "Olá", "body": "1"}, {"id": second, "title": "Até logo", "body": "2"}]
        self.assertEqual({row["title"] for row in table().upsert(changed).execute().data}, {"Olá", "Até logo"})
        self.assertEqual(len(table().delete().in_("id", [first, second]).execute().data), 2)
        self.assertEqual(table().select("*").in_("id", [first, second]).execute().data, [])

    def test_upsert_names_a_unique_column(self):
        table = lambda: self.office.table("email_notification_settings")
        for enabled in (True, False):
            row = {"document_type_event": "fatura_new", "enabled": enabled}
            self.assertEqual(table().upsert(row, on_conflict="document_type_event").execute().data, [row])

    def test_select_filters_orders_and_counts(self):
        ids = self.replies("alfa", "beta", "gama, delta")
        select = lambda: self.office.table("saved_replies").select("title", count="exact").in_("id", ids)
        page = select().order("title", desc=True).range(0, 1).execute()
        self.assertEqual(([row["title"] for row in page.data], page.count), (["gama, delta", "beta"], 3))
        for query, expected in [
            (select().ilike("title", "A%"), ["alfa"]),
            (select().eq("title", "gama, delta"), ["gama, delta"]),
            (select().not_.like("title", "%a"), []),
            (select().or_("title.eq.alfa,title.eq.beta").order("title"), ["alfa", "beta"]),
            (select().gt("title", "alfa").lt("title", "gama").limit(5), ["beta"]),
        ]:
            self.assertEqual([row["title"] for row in query.execute().data], expected)
        head = self.office.table("saved_replies").select("*", count="exact", head=True).in_("id", ids).execute()
        self.assertEqual(head.count, 3)

    def test_one_row_is_an_object(self):
        (reply,) = self.replies("única")
        table = lambda: self.office.table("saved_replies").select("title").eq("id", reply)
        self.assertEqual(table().single().execute().data, {"title": "única"})
        self.assertEqual(table().maybe_single().execute().data, {"title": "única"})
        self.assertIsNone(table().eq("title", "outra").maybe_single().execute())
        self.assert_refused("PGRST116", table().eq("title", "outra").single())
        self.assertEqual(table().csv().execute().data, "title\núnica")

    def test_embeds_follow_foreign_keys(self):
        client = sign_in(self.joao)
        ticket = {"subject": "Certidão", "message": "Preciso de uma certidão negativa."}
        ticket = client.table("tickets").insert(ticket).execute().data[0]
        self.office.table("ticket_messages").insert({"ticket_id": ticket["id"], "body": "Já pedimos."}).execute()
        row = client.table("tickets").select("subject, ticket_messages(body, from_staff)").eq("id", ticket["id"])
        expected = {"subject": "Certidão", "ticket_messages": [{"body": "Já pedimos.", "from_staff": True}]}
        self.assertEqual(row.single().execute().data, expected)

    def test_date_is_a_day_of_the_zone_of_the_office(self):
        row = {"name": "Contrato", "folder_id_supabase": "contratos", "client_id": self.joao["id"]}
        row |= {"created_at": "2026-11-20", "expires_at": "2027-03-31"}
        document = self.office.table("documents").insert(row).execute().data[0]
        self.assertEqual(document["created_at"], "2026-11-20T03:00:00+00:00")
        self.assertEqual(document["expires_at"], "2027-04-01T02:59:59+00:00")

    def test_rows_of_others_do_not_exist(self):
        mariana, joao = sign_in(new_person("Mariana")), sign_in(self.joao)
        ticket = joao.table("tickets").insert({"subject": "Sigilo", "message": "Só para o escritório."}).execute().data[0]
        mine = lambda client: client.table("tickets").select("id").eq("id", ticket["id"]).execute().data
        self.assertEqual((len(mine(joao)), len(mine(self.office)), len(mine(mariana))), (1, 1, 0))
        self.assertEqual(mariana.table("tickets").update({"status": "closed"}).eq("id", ticket["id"]).execute().data, [])
        self.assert_refused("42501", joao.table("folders").insert({"name": "Minha", "id_supabase": "minha"}))
        self.assert_refused("42501", anonymous().table("folders").select("*"))
        self.assert_refused("PGRST205", joao.table("outbox").select("*"))

    def test_changes_need_a_filter(self):
        self.assert_refused("21000", self.office.table("saved_replies").update({"title": "todas"}))
        self.assert_refused("21000", self.office.table("saved_replies").delete())

    def test_functions_are_for_the_office(self):
        self.assertFalse(self.office.rpc("mail_status", {}).execute().data["configured"])
        self.assert_refused("PGRST202", sign_in(self.joao).rpc("mail_status", {}))
        self.assert_refused("PGRST202", self.office.rpc("nenhuma", {}))


if __name__ == "__main__":
    unittest.main()
