"""Accounts with `supabase_auth`: sign-in, sessions, the own account, MFA and administration."""

import unittest

from supabase import AuthApiError, AuthWeakPasswordError

from office import anonymous, new_person, service, sign_in, totp


class Refusals(unittest.TestCase):
    def assert_refused(self, status, code, call, *arguments):
        with self.assertRaises(AuthApiError) as refusal:
            call(*arguments)
        self.assertEqual((refusal.exception.status, refusal.exception.code), (status, code))


class SessionTest(Refusals):
    def setUp(self):
        self.joao = new_person("João")

    def test_password_opens_a_session(self):
        client = anonymous()
        credentials = {"email": self.joao["email"], "password": self.joao["password"]}
        answer = client.auth.sign_in_with_password(credentials)
        self.assertEqual(answer.user.id, self.joao["id"])
        self.assertEqual(answer.user.user_metadata, {"full_name": "João"})
        self.assertEqual(answer.session.token_type, "bearer")
        self.assertEqual(client.auth.get_user().user.email, self.joao["email"])
        claims = client.auth.get_claims()["claims"]
        self.assertEqual((claims["sub"], claims["role"], claims["aal"]), (self.joao["id"], "authenticated", "aal1"))

    def test_wrong_password_is_refused(self):
        wrong = {"email": self.joao["email"], "password": "não é esta"}
        self.assert_refused(400, "invalid_credentials", anonymous().auth.sign_in_with_password, wrong)

    def test_refresh_keeps_the_session(self):
        client = sign_in(self.joao)
        first = client.auth.get_session()
        second = client.auth.refresh_session().session
        self.assertNotEqual(second.refresh_token, first.refresh_token)
        session_of = lambda session: client.auth.get_claims(session.access_token)["claims"]["session_id"]
        self.assertEqual(session_of(first), session_of(second))
        # A second program that still holds the replaced token receives the live one.
        self.assertEqual(client.auth.refresh_session(first.refresh_token).session.refresh_token, second.refresh_token)

    def test_session_moves_to_another_client(self):
        session = sign_in(self.joao).auth.get_session()
        other = anonymous()
        other.auth.set_session(session.access_token, session.refresh_token)
        self.assertEqual(other.auth.get_user().user.id, self.joao["id"])

    def test_sign_out_ends_the_session_at_once(self):
        client = sign_in(self.joao)
        token = client.auth.get_session().access_token
        client.auth.sign_out()
        self.assertIsNone(client.auth.get_session())
        self.assert_refused(403, "session_not_found", anonymous().auth.get_user, token)

    def test_sign_out_of_others_keeps_the_own_session(self):
        here, there = sign_in(self.joao), sign_in(self.joao)
        here.auth.sign_out({"scope": "others"})
        self.assertEqual(here.auth.get_user().user.id, self.joao["id"])
        self.assert_refused(403, "session_not_found", there.auth.get_user)

    def test_person_changes_name_and_password(self):
        client = sign_in(self.joao)
        user = client.auth.update_user({"data": {"full_name": "João da Conceição"}, "password": "outra senha longa"}).user
        self.assertEqual(user.user_metadata["full_name"], "João da Conceição")
        sign_in({**self.joao, "password": "outra senha longa"})
        self.assert_refused(400, "invalid_credentials", sign_in, self.joao)

    def test_common_password_is_refused(self):
        with self.assertRaises(AuthWeakPasswordError) as refusal:
            sign_in(self.joao).auth.update_user({"password": "password123"})
        self.assertEqual(refusal.exception.reasons, ["pwned"])

    def test_sign_up_is_off_by_default(self):
        person = {"email": "nova@cliente.com.br", "password": "uma senha longa"}
        self.assert_refused(422, "signup_disabled", anonymous().auth.sign_up, person)

    def test_features_of_the_protocol_that_are_off_say_so(self):
        self.assert_refused(422, "anonymous_provider_disabled", anonymous().auth.sign_in_anonymously)
        phone = {"phone": "+5511999999999", "password": "uma senha longa"}
        self.assert_refused(422, "phone_provider_disabled", anonymous().auth.sign_in_with_password, phone)

    def test_recovery_and_one_time_password_reveal_no_account(self):
        client = anonymous()
        for email in (self.joao["email"], "ninguem@cliente.com.br"):
            client.auth.reset_password_for_email(email)
            client.auth.sign_in_with_otp({"email": email})


class MfaTest(Refusals):
    def test_client_enrolls_an_authenticator_app(self):
        client = sign_in(new_person("Mariana"))
        factor = client.auth.mfa.enroll({"factor_type": "totp", "friendly_name": "telefone"})
        self.assertTrue(factor.totp.uri.startswith("otpauth://totp/"))
        code = totp(factor.totp.secret)
        wrong = {"factor_id": factor.id, "code": "000000" if code != "000000" else "111111"}
        self.assert_refused(422, "mfa_verification_failed", client.auth.mfa.challenge_and_verify, wrong)
        client.auth.mfa.challenge_and_verify({"factor_id": factor.id, "code": code})
        level = client.auth.mfa.get_authenticator_assurance_level()
        self.assertEqual((level.current_level, level.next_level), ("aal2", "aal2"))
        self.assertEqual([found.id for found in client.auth.mfa.list_factors().totp], [factor.id])
        client.auth.mfa.unenroll({"factor_id": factor.id})
        self.assertEqual(client.auth.mfa.list_factors().all, [])


class AdminTest(Refusals):
    def setUp(self):
        self.admin = service().auth.admin

    def test_account_is_created_found_changed_and_deleted(self):
        person = new_person("Rosa")
        found = self.admin.get_user_by_id(person["id"]).user
        self.assertEqual((found.email, found.role, found.aud), (person["email"], "authenticated", "authenticated"))
        self.assertIn(person["id"], [user.id for user in self.admin.list_users(page=1, per_page=1000)])
        changes = {"user_metadata": {"tax_id": "12.345.678/0001-95"}, "ban_duration": "1h"}
        changed = self.admin.update_user_by_id(person["id"], changes).user
        self.assertEqual(changed.user_metadata, {"full_name": "Rosa", "tax_id": "12.345.678/0001-95"})
        self.assert_refused(400, "user_banned", sign_in, person)
        self.admin.update_user_by_id(person["id"], {"ban_duration": "none"})
        sign_in(person)
        self.admin.delete_user(person["id"])
        self.assert_refused(404, "user_not_found", self.admin.get_user_by_id, person["id"])

    def test_taken_address_is_refused(self):
        person = new_person("Rosa")
        again = {"email": person["email"], "password": "uma senha longa"}
        self.assert_refused(422, "email_exists", self.admin.create_user, again)

    def test_invitation_creates_an_account(self):
        user = self.admin.invite_user_by_email("convidada@cliente.com.br", {"data": {"full_name": "Convidada"}}).user
        self.assertIsNone(user.email_confirmed_at)
        self.assertEqual(user.user_metadata["full_name"], "Convidada")

    def test_generated_link_signs_its_owner_in(self):
        person = new_person("Rosa")
        link = self.admin.generate_link({"type": "magiclink", "email": person["email"]}).properties
        self.assertEqual(link.verification_type, "magiclink")
        client = anonymous()
        answer = client.auth.verify_otp({"type": "email", "token_hash": link.hashed_token})
        self.assertEqual(answer.user.id, person["id"])
        again = {"type": "email", "token_hash": link.hashed_token}
        self.assert_refused(403, "otp_expired", anonymous().auth.verify_otp, again)

    def test_mailed_code_signs_its_owner_in(self):
        person = new_person("Rosa")
        code = self.admin.generate_link({"type": "recovery", "email": person["email"]}).properties.email_otp
        answer = anonymous().auth.verify_otp({"type": "recovery", "email": person["email"], "token": code})
        self.assertEqual(answer.session.user.id, person["id"])

    def test_administration_is_closed_to_clients(self):
        client = sign_in(new_person("Rosa"))
        self.assert_refused(403, "not_admin", client.auth.admin.list_users)


if __name__ == "__main__":
    unittest.main()
