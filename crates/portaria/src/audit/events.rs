//! The names of all audit events, `{subject}.{change}`. The web app has a label for each.

macro_rules! event_names {
    ($($name:ident = $text:literal,)+) => {
        /// The name of an audit event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant is named after its text")]
        pub enum EventName {
            $($name,)+
        }

        impl EventName {
            /// All names.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the name in the form in which the log stores it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

event_names! {
    SessionBegan = "session.began",
    SessionEnded = "session.ended",
    SessionRefused = "session.refused",
    SessionSuspicious = "session.suspicious",
    SecondStepEnrolled = "second_step.enrolled",
    SecondStepRemoved = "second_step.removed",
    SecondStepRecovered = "second_step.recovered",
    SecondStepCodesMade = "second_step.codes_made",
    SecondStepCodesRemoved = "second_step.codes_removed",
    PasskeyAdded = "passkey.added",
    PasskeyRenamed = "passkey.renamed",
    PasskeyRemoved = "passkey.removed",
    AccountCreated = "account.created",
    MemberAdded = "member.added",
    MemberRoleChanged = "member.role_changed",
    MemberFoldersChanged = "member.folders_changed",
    MemberRemoved = "member.removed",
    AccountInvited = "account.invited",
    AccountInvitationWithdrawn = "account.invitation_withdrawn",
    AccountLinkMade = "account.link_made",
    AccountChanged = "account.changed",
    AccountDeleted = "account.deleted",
    AccountExported = "account.exported",
    AccountErased = "account.erased",
    AccountSignUpRepeated = "account.sign_up_repeated",
    ClientViewed = "client.viewed",
    RoleGranted = "role.granted",
    RoleChanged = "role.changed",
    RoleRemoved = "role.removed",
    AssignmentCreated = "assignment.created",
    AssignmentChanged = "assignment.changed",
    AssignmentDeleted = "assignment.deleted",
    DocumentCreated = "document.created",
    DocumentChanged = "document.changed",
    DocumentDeleted = "document.deleted",
    DocumentRestored = "document.restored",
    DocumentPurged = "document.purged",
    VersionRestored = "version.restored",
    VersionDeleted = "version.deleted",
    DocumentDiscarded = "document.discarded",
    DocumentWithdrawn = "document.withdrawn",
    DocumentRepublished = "document.republished",
    DocumentOpened = "document.opened",
    DocumentOpenedByLink = "document.opened_by_link",
    DocumentDownloaded = "document.downloaded",
    PersonalLinkCreated = "personal_link.created",
    PersonalLinkRevoked = "personal_link.revoked",
    PersonalLinkLocked = "personal_link.locked",
    DocumentAcknowledged = "document.acknowledged",
    DocumentApproved = "document.approved",
    DocumentRefused = "document.refused",
    ApprovalWithdrawn = "approval.withdrawn",
    PaymentReported = "payment.reported",
    PaymentChanged = "payment.changed",
    PaymentWithdrawn = "payment.withdrawn",
    DocumentReminded = "document.reminded",
    DocumentDelivered = "document.delivered",
    DocumentProved = "document.proved",
    ReminderRuleCreated = "reminder_rule.created",
    ReminderRuleChanged = "reminder_rule.changed",
    ReminderRuleDeleted = "reminder_rule.deleted",
    ContactDeleted = "contact.deleted",
    ReceiptChanged = "receipt.changed",
    ReceiptDeleted = "receipt.deleted",
    FileCreated = "file.created",
    FileOpened = "file.opened",
    FileDownloaded = "file.downloaded",
    FileReplaced = "file.replaced",
    FileMoved = "file.moved",
    FileDeleted = "file.deleted",
    FileDiscarded = "file.discarded",
    InboxDiscarded = "inbox.discarded",
    InboxRuleCreated = "inbox_rule.created",
    InboxRuleChanged = "inbox_rule.changed",
    InboxRuleDeleted = "inbox_rule.deleted",
    RecognitionRuleCreated = "recognition_rule.created",
    RecognitionRuleChanged = "recognition_rule.changed",
    RecognitionRuleDeleted = "recognition_rule.deleted",
    InboxTokenCreated = "inbox_token.created",
    InboxTokenRevoked = "inbox_token.revoked",
    RequestCreated = "request.created",
    RequestChanged = "request.changed",
    RequestDeleted = "request.deleted",
    RequestReminded = "request.reminded",
    ReceivedFileCreated = "received_file.created",
    ReceivedFileChanged = "received_file.changed",
    ReceivedFileDeleted = "received_file.deleted",
    ReceivedFileFiled = "received_file.filed",
    RequestTemplateCreated = "request_template.created",
    RequestTemplateChanged = "request_template.changed",
    RequestTemplateDeleted = "request_template.deleted",
    BucketCreated = "bucket.created",
    BucketChanged = "bucket.changed",
    BucketEmptied = "bucket.emptied",
    BucketDeleted = "bucket.deleted",
    FolderCreated = "folder.created",
    FolderChanged = "folder.changed",
    FolderDeleted = "folder.deleted",
    FolderOrdered = "folder.ordered",
    TicketCreated = "ticket.created",
    TicketChanged = "ticket.changed",
    TicketDeleted = "ticket.deleted",
    TicketAnswered = "ticket.answered",
    TicketNoted = "ticket.noted",
    MessageChanged = "message.changed",
    MessageDeleted = "message.deleted",
    SavedReplyCreated = "saved_reply.created",
    SavedReplyChanged = "saved_reply.changed",
    SavedReplyDeleted = "saved_reply.deleted",
    TemplateCreated = "template.created",
    TemplateChanged = "template.changed",
    TemplateDeleted = "template.deleted",
    SettingsCreated = "settings.created",
    SettingsChanged = "settings.changed",
    SettingsDeleted = "settings.deleted",
    OfficeChanged = "office.changed",
    MailResent = "mail.resent",
    MailCanceled = "mail.cancelled",
    SigningKeyCreated = "signing_key.created",
    SigningKeyRotated = "signing_key.rotated",
    SigningKeyRevoked = "signing_key.revoked",
    ActivityErased = "activity.erased",
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::audit::EventName;

    #[test]
    fn event_names_are_unique() {
        let names: BTreeSet<&str> = EventName::ALL.iter().map(|name| name.as_str()).collect();
        assert_eq!(names.len(), EventName::ALL.len());
    }
}
