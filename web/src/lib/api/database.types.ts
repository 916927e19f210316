// The tables as they look on the wire. Columns that only administrators receive are marked so.

type Table<Row, Insert, Relationships extends Relationship[] = []> = {
  Row: Row;
  Insert: Insert;
  Update: Partial<Insert>;
  Relationships: Relationships;
};

type Relationship = {
  foreignKeyName: string;
  columns: string[];
  isOneToOne: boolean;
  referencedRelation: string;
  referencedColumns: string[];
};

type ForeignKey<Column extends string, Relation extends string, Referenced extends string> = {
  foreignKeyName: `${Relation}_of_${Column}`;
  columns: [Column];
  isOneToOne: false;
  referencedRelation: Relation;
  referencedColumns: [Referenced];
};

export type FolderKind = 'contrato' | 'fatura' | 'relatorio' | 'aviso';
export type TicketStatus = 'open' | 'in-progress' | 'closed';
export type TicketCategory = 'support' | 'billing' | 'account' | 'other';
export type TicketPriority = 'low' | 'normal' | 'high' | 'urgent';

export type FolderRow = {
  /** Administrators only. */
  id: string;
  id_supabase: string;
  name: string;
  icon: string | null;
  kind: FolderKind | null;
  position: number;
  archived_at: string | null;
  /** So long its documents are kept; null: for ever. Administrators only. */
  keep_months: number | null;
  /** Whether what is older goes by itself. Administrators only. */
  discards: boolean;
  /** Why the law has them kept for so long. Administrators only. */
  hold_reason: string | null;
};

export type DocumentRow = {
  id: string;
  folder_id_supabase: string;
  /** Administrators only. */
  client_id: string | null;
  name: string;
  type: string;
  created_at: string;
  expires_at: string | null;
  status: string;
  file_url: string | null;
  uploaded_at: string | null;
  size: number | null;
  kind: FolderKind | null;
  /** Why this one must not go. Administrators only. */
  hold_reason: string | null;
  /** Opened in a receipt that is gone by now. Administrators only. */
  was_opened: boolean;
  /** Since when its folder keeps it no longer. Administrators only. */
  outlived_at: string | null;
  /** Whose it was before their data were erased. Administrators only. */
  erased_client_id: string | null;
};

export type TicketRow = {
  id: string;
  /** Administrators only. */
  user_id: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  status: TicketStatus;
  subject: string;
  category: TicketCategory;
  priority: TicketPriority;
  message: string;
  /** The ticket that this one goes on with. */
  follows_id: string | null;
  /** What is sent twice under one key is one. */
  idempotency_key: string | null;
  /** Who of the staff sees to it. Administrators only. */
  assignee_id: string | null;
  /** By when the client should have an answer; null: they have it. Administrators only. */
  due_at: string | null;
};

export type TicketMessageRow = {
  id: string;
  ticket_id: string;
  created_at: string;
  from_staff: boolean;
  body: string;
  idempotency_key: string | null;
  /** A note among staff. Administrators only. */
  internal: boolean;
  /** Administrators only. */
  author_id: string | null;
};

export type TicketAttachmentRow = {
  id: string;
  message_id: string;
  created_at: string;
  name: string;
  /** Its name in the bucket of attachments. */
  file_url: string;
  size: number;
};

export type TicketHistoryRow = {
  id: string;
  ticket_id: string;
  created_at: string;
  status: TicketStatus;
  from_staff: boolean;
  /** Administrators only. */
  author_id: string | null;
};

/** The people of the office. Administrators only. */
export type StaffRow = {
  id: string;
  email: string;
  created_at: string;
  last_sign_in_at: string | null;
  user_metadata: { full_name?: string; [key: string]: unknown };
  /** Whether they show a code beside the password. */
  second_step: boolean;
};

/** Who is writing just now: a row per screen. Administrators only. */
export type TicketPresenceRow = { id: string; ticket_id: string; user_id: string; touched_at: string };

export type SavedReplyRow = {
  id: string;
  title: string;
  body: string;
  created_at: string;
  updated_at: string;
};

export type ClientRow = {
  id: string;
  email: string;
  created_at: string;
  last_sign_in_at: string | null;
  /** The sign-in that began the visit before the present one. */
  last_visit_at: string | null;
  user_metadata: { full_name?: string; tax_id?: string; [key: string]: unknown };
  /** Administrators only: the name without accents and capitals. */
  name_key: string;
};

export type DocumentReceiptRow = {
  id: string;
  document_id: string;
  action: 'opened' | 'downloaded';
  created_at: string;
  /** Administrators only. */
  client_id: string;
};

export type EmailTemplateRow = {
  id: string;
  name: string;
  subject: string;
  html_content: string;
  event_trigger: string;
  description: string | null;
  created_at: string;
  updated_at: string;
};

export type EmailSettingRow = { document_type_event: string; enabled: boolean };

export type EmailStatus = 'queued' | 'sending' | 'sent' | 'failed' | 'cancelled';

/** A mail of the portal, from its cause to its end. Administrators only. */
export type OutboxRow = {
  id: string;
  created_at: string;
  event: string;
  user_id: string | null;
  recipient: string;
  subject: string;
  /** Null: about the account itself. */
  topic: NotificationTopic | null;
  document_id: string | null;
  ticket_id: string | null;
  state: EmailStatus;
  attempts: number;
  next_attempt_at: string;
  last_error: string | null;
  sent_at: string | null;
  /** The mail that this one left in. */
  digest_id: string | null;
};

/** What is sent of a template that need not be saved yet. Without ids, examples stand in. */
export type TemplateDraft = {
  event_trigger: string;
  subject: string;
  html_content: string;
  client_id?: string;
  document_id?: string;
  ticket_id?: string;
};

export type TemplatePreview = {
  subject: string;
  html: string;
  text: string;
  unknown: string[];
  unavailable: string[];
  /** What cleaning took out. */
  removed: string[];
};

export type SmtpStatus = {
  configured: boolean;
  sender: string | null;
  server: string | null;
  waiting: number;
  failed: number;
  last_error: string | null;
  last_sent_at: string | null;
};

export type BackupErrorCode =
  | 'no_room'
  | 'unreachable'
  | 'busy'
  | 'key'
  | 'damaged'
  | 'database'
  | 'files'
  | 'held_up'
  | 'refused';

export type BackupStatus = {
  /** Whether one is made each night. */
  scheduled: boolean;
  /** At what time. */
  at: string;
  /** After how many minutes besides; null: by night alone. */
  every: number | null;
  encrypted: boolean;
  made: { at: string; files: number; bytes: number; broken: number } | null;
  /** Null unless it failed since. */
  failed: { at: string; code: BackupErrorCode } | null;
  rehearsed: { at: string; code: BackupErrorCode | null } | null;
  overdue: boolean;
};

/** Whom a setting mails; when nobody, why. */
export type RecipientPreview = {
  /** Null: nothing mails about it. */
  setting: string | null;
  count: number;
  /** Of a few of them. */
  names: string[];
  reason?: 'off' | 'muted' | 'no_kind' | 'unreachable';
};

/** What decides whether a document that is about to be saved mails its client. */
export type DocumentNotificationInput = {
  client_id: string;
  folder_id_supabase: string;
  kind?: FolderKind;
  type?: string;
  expires_at?: string;
};

export type SessionRow = {
  id: string;
  user_agent: string | null;
  created_at: string;
  refreshed_at: string;
};

/** What mails can be about. Those about the account itself are none of these. */
export type NotificationTopic = 'documents' | 'expiries' | 'tickets';

export type MutedTopicRow = { id: string; topic: NotificationTopic; created_at: string };

/** A line of the log. Names are as they were at that time, and null once they were erased. */
export type ActivityRow = {
  number: number;
  created_at: string;
  event: string;
  actor: 'staff' | 'client' | 'program' | 'nobody';
  actor_id: string | null;
  actor_name: string | null;
  /** Whom it is about. */
  person_id: string | null;
  person_name: string | null;
  subject_id: string | null;
  subject: string | null;
  detail: { columns?: string[]; status?: string; reason?: string; [key: string]: unknown };
};

/** The shape postgrest-js reads its types from. */
export type Database = {
  public: {
    Tables: {
      folders: Table<
        FolderRow,
        Pick<FolderRow, 'id_supabase' | 'name' | 'icon'> &
          Partial<
            Pick<FolderRow, 'kind' | 'position' | 'archived_at' | 'keep_months' | 'discards' | 'hold_reason'>
          >
      >;
      documents: Table<
        DocumentRow,
        Pick<
          DocumentRow,
          | 'folder_id_supabase'
          | 'name'
          | 'type'
          | 'created_at'
          | 'expires_at'
          | 'status'
          | 'file_url'
          | 'uploaded_at'
        > &
          Partial<Pick<DocumentRow, 'kind' | 'hold_reason'>>,
        [ForeignKey<'folder_id_supabase', 'folders', 'id_supabase'>, ForeignKey<'client_id', 'clients', 'id'>]
      >;
      tickets: Table<
        TicketRow,
        Pick<
          TicketRow,
          | 'created_at'
          | 'status'
          | 'subject'
          | 'category'
          | 'priority'
          | 'message'
          | 'follows_id'
          | 'idempotency_key'
        > &
          Partial<Pick<TicketRow, 'assignee_id'>>,
        [ForeignKey<'user_id', 'clients', 'id'>, ForeignKey<'assignee_id', 'staff', 'id'>]
      >;
      ticket_messages: Table<
        TicketMessageRow,
        Pick<TicketMessageRow, 'ticket_id' | 'body' | 'idempotency_key'> &
          Partial<Pick<TicketMessageRow, 'internal'>>,
        [ForeignKey<'ticket_id', 'tickets', 'id'>, ForeignKey<'author_id', 'staff', 'id'>]
      >;
      ticket_attachments: Table<
        TicketAttachmentRow,
        Pick<TicketAttachmentRow, 'message_id' | 'name' | 'file_url'>,
        [ForeignKey<'message_id', 'ticket_messages', 'id'>]
      >;
      ticket_history: Table<
        TicketHistoryRow,
        never,
        [ForeignKey<'ticket_id', 'tickets', 'id'>, ForeignKey<'author_id', 'staff', 'id'>]
      >;
      ticket_presence: Table<
        TicketPresenceRow,
        Pick<TicketPresenceRow, 'id' | 'ticket_id'>,
        [ForeignKey<'ticket_id', 'tickets', 'id'>, ForeignKey<'user_id', 'staff', 'id'>]
      >;
      staff: Table<StaffRow, never>;
      saved_replies: Table<SavedReplyRow, Pick<SavedReplyRow, 'title' | 'body'>>;
      clients: Table<ClientRow, never>;
      document_receipts: Table<
        DocumentReceiptRow,
        Pick<DocumentReceiptRow, 'document_id' | 'action'>,
        [ForeignKey<'document_id', 'documents', 'id'>]
      >;
      sessions: Table<SessionRow, never>;
      activity: Table<ActivityRow, never>;
      muted_topics: Table<MutedTopicRow, Pick<MutedTopicRow, 'topic'>>;
      email_notification_settings: Table<EmailSettingRow, EmailSettingRow>;
      outbox: Table<OutboxRow, Pick<OutboxRow, 'state'>>;
      email_templates: Table<
        EmailTemplateRow,
        Pick<EmailTemplateRow, 'name' | 'subject' | 'html_content' | 'event_trigger' | 'description'>
      >;
    };
    Views: Record<string, never>;
    Functions: {
      delete_folder: { Args: { folder: string; target: string | null }; Returns: undefined };
      mail_audience: {
        Args: { settings: Record<string, boolean> } | { document: DocumentNotificationInput };
        Returns: RecipientPreview[];
      };
      backup_status: { Args: Record<string, never>; Returns: BackupStatus };
      mail_status: { Args: Record<string, never>; Returns: SmtpStatus };
      preview_template: { Args: TemplateDraft; Returns: TemplatePreview };
      send_test_mail: { Args: TemplateDraft; Returns: { id: string; recipient: string } };
      create_default_templates: { Args: Record<string, never>; Returns: string[] };
      order_folders: { Args: { folders: string[] }; Returns: undefined };
    };
  };
};
