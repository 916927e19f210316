// Types of the tables: generated from the schema of the server, and narrowed where the schema has JSON or text.
import type { Database as GeneratedDatabase } from './database.types';

type Generated = GeneratedDatabase['public'];
type Enums = Generated['Enums'];

export type FolderKind = Enums['folders_kind'];
export type TicketStatus = Enums['tickets_status'];
export type TicketCategory = Enums['tickets_category'];
export type TicketPriority = Enums['tickets_priority'];
export type EmailStatus = Enums['outbox_state'];
/** Topics of notifications. Mails about the account have none. */
export type NotificationTopic = Enums['muted_topics_topic'];

export type NotificationKind = Enums['notifications_kind'];
export type RuleRecipient = Enums['reminder_rules_recipient'];
export type StaffMailTopic = Enums['staff_mail_choices_topic'];
export type StaffMailDelivery = Enums['staff_mail_choices_delivery'];

/** The group of a file in the review of the inbox. */
export type ReviewGroup =
  | 'reading'
  | 'recognized'
  | 'doubtful'
  | 'no_owner'
  | 'problem'
  | 'scheduled'
  | 'published';

/** Why a person has to confirm the client of a file in the inbox. */
export type InboxDoubt =
  | 'several_clients'
  | 'other_name'
  | 'other_owner'
  | 'pages_not_read'
  | 'file_name_only'
  | 'name_only'
  | 'out_of_reach';

/** The place of a value in a file. A rectangle is in points from the upper left corner of the page. */
export type FoundPlace =
  | { in: 'file_name' | 'field' }
  | {
      in: 'page' | 'barcode';
      page: number;
      rect: { left: number; top: number; right: number; bottom: number };
    };

/** A value that was read, with its place and a confidence from 0 to 1. */
export type FoundValue<Value = unknown> = { value: Value; place: FoundPlace; confidence: number };

/** The values that were read in a file of the inbox. */
export type InboxFindings = {
  pages: number;
  is_complete: boolean;
  tax_ids: FoundValue<{ tax_id: string }>[];
  kind: FoundValue | null;
  period: FoundValue | null;
  due: FoundValue | null;
  amount_cents: FoundValue | null;
  valid_until: FoundValue | null;
  payment_lines: FoundValue[];
  pix: FoundValue[];
};

/** The status of an item that the office asks of a client. */
export type RequestStatus = 'open' | 'answered' | 'nothing' | 'accepted' | 'refused';

/** A period of a weekday in which the office is open. */
export type OpeningPeriod = {
  /** From 1, Monday, to 7, Sunday. */
  weekday: number;
  /** `HH:MM` */
  opens: string;
  closes: string;
};

/** A holiday of the office's own. */
export type Holiday = { on: string; name: string };

/** The rules that an office chose for due dates on days off, by category of documents. `null` removes the server's. */
export type DayOffChoices = Partial<Record<string, 'earlier' | 'later' | null>>;

/** An item of a template of requests. */
export type TemplateItem = { name: string; hint: string | null; repeats_monthly: boolean };

/** Columns whose values the schema does not describe. */
type NarrowedColumns = {
  clients: { user_metadata: { full_name?: string; tax_id?: string; [key: string]: unknown } };
  staff: { user_metadata: { full_name?: string; [key: string]: unknown } };
  ticket_history: { status: TicketStatus };
  inbox_files: { findings: InboxFindings | null; doubts: InboxDoubt[] | null; review_group: ReviewGroup };
  request_items: { status: RequestStatus };
  request_templates: { items: TemplateItem[] };
  office_settings: { opening_hours: OpeningPeriod[]; holidays: Holiday[]; day_off_rules: DayOffChoices };
  activity: {
    actor: 'staff' | 'client' | 'program' | 'nobody';
    detail: { columns?: string[]; status?: string; reason?: string; [key: string]: unknown };
  };
};

type Narrowed<Columns, Name> = {
  [Column in keyof Columns]: Name extends keyof NarrowedColumns
    ? Column extends keyof NarrowedColumns[Name]
      ? NarrowedColumns[Name][Column]
      : Columns[Column]
    : Columns[Column];
};

/** A template to preview, which need not be saved. Examples replace absent ids. */
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
  /** Placeholders that do not exist. */
  unknown: string[];
  /** Placeholders without a value for this trigger. */
  unavailable: string[];
  /** Elements that the sanitizer removes. */
  removed: string[];
};

export type SmtpStatus = {
  configured: boolean;
  sender: string | null;
  server: string | null;
  waiting: number;
  /** Number of queued mails whose first attempt failed. */
  retrying: number;
  waiting_since: string | null;
  /** Earliest due time of a queued mail. */
  next_attempt_at: string | null;
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
  /** Whether a nightly backup is configured. */
  scheduled: boolean;
  /** Time of the nightly backup, `HH:MM`. */
  at: string;
  /** Interval of additional backups, in minutes; null if there are none. */
  every: number | null;
  encrypted: boolean;
  made: { at: string; files: number; bytes: number; broken: number } | null;
  /** The last failure; null after a successful backup. */
  failed: { at: string; code: BackupErrorCode } | null;
  /** The last test restore. */
  rehearsed: { at: string; code: BackupErrorCode | null } | null;
  overdue: boolean;
};

export type CheckStatus = 'ok' | 'warning' | 'error';

export type SystemSection = 'program' | 'data' | 'mail' | 'backup' | 'jobs' | 'machine';

/** The finding of one check of the installation. */
export type SystemCheck = {
  section: SystemSection;
  check: string;
  title: string;
  status: CheckStatus;
  /** A sentence; commands are between backticks. */
  message: string;
  /** The next step, in the same form. */
  advice?: string;
};

export type SystemStatus = {
  version: string;
  examined_at: string;
  /** The most serious status. */
  status: CheckStatus;
  checks: SystemCheck[];
};

/** The recipients of a notification, or the reason why there are none. */
export type RecipientPreview = {
  /** The setting that enables the notification; null if no notification applies. */
  setting: string | null;
  count: number;
  /** The names of some recipients. */
  names: string[];
  reason?: 'off' | 'muted' | 'no_kind' | 'unreachable';
};

/** The values of an unsaved document that determine whether its client is notified. */
export type DocumentNotificationInput = {
  client_id: string;
  folder_id_supabase: string;
  kind?: FolderKind;
  type?: string;
  expires_at?: string;
};

/** The result of a request for reminders: numbers of documents or items. */
export type ReminderCounts = { reminded: number; repeated: number; unreachable: number; settled: number };

type FunctionTypes = {
  delete_folder: { Args: { folder: string; target: string | null }; Returns: undefined };
  mail_audience: {
    Args: { settings: Record<string, boolean> } | { document: DocumentNotificationInput };
    Returns: RecipientPreview[];
  };
  backup_status: { Args: Record<string, never>; Returns: BackupStatus };
  mail_status: { Args: Record<string, never>; Returns: SmtpStatus };
  system_status: { Args: Record<string, never>; Returns: SystemStatus };
  preview_template: { Args: TemplateDraft; Returns: TemplatePreview };
  send_test_mail: { Args: TemplateDraft; Returns: { id: string; recipient: string } };
  create_default_templates: { Args: Record<string, never>; Returns: string[] };
  publish_inbox: { Args: { files: string[]; at: string | null }; Returns: { publish_at: string } };
  cancel_publication: { Args: { files: string[] }; Returns: { cancelled: number } };
  withdraw_documents: { Args: { documents: string[] }; Returns: undefined };
  republish_documents: { Args: { documents: string[] }; Returns: undefined };
  restore_document_version: { Args: { version: string }; Returns: undefined };
  restore_documents: { Args: { documents: string[]; folder?: string }; Returns: undefined };
  file_received_files: {
    Args: { folder: string; names: Record<string, string> };
    Returns: { documents: string[] };
  };
  remind_documents: { Args: { documents: string[] }; Returns: ReminderCounts };
  remind_request_items: { Args: { items: string[] }; Returns: ReminderCounts };
  order_folders: { Args: { folders: string[] }; Returns: undefined };
};

/** The type parameter of the client library. */
export type Database = {
  public: {
    Tables: {
      [Name in keyof Generated['Tables']]: {
        Row: Narrowed<Generated['Tables'][Name]['Row'], Name>;
        Insert: Generated['Tables'][Name]['Insert'];
        Update: Generated['Tables'][Name]['Update'];
        Relationships: Generated['Tables'][Name]['Relationships'];
      };
    };
    Views: Generated['Views'];
    // A function without types here is an error of the type checker.
    Functions: { [Name in keyof Generated['Functions']]: FunctionTypes[Name] };
    Enums: Enums;
  };
};

type Row<Name extends keyof Database['public']['Tables']> = Database['public']['Tables'][Name]['Row'];

export type FolderRow = Row<'folders'>;
export type DocumentRow = Row<'documents'>;
export type TicketRow = Row<'tickets'>;
export type StaffRow = Row<'staff'>;
export type ClientRow = Row<'clients'>;
export type DocumentReceiptRow = Row<'document_receipts'>;
export type EmailTemplateRow = Row<'email_templates'>;
export type OutboxRow = Row<'outbox'>;
export type OfficeSettingsRow = Row<'office_settings'>;
export type ContactKind = Row<'document_contacts'>['kind'];
export type RequestItemRow = Row<'request_items'>;
export type ReceivedFileRow = Row<'received_files'>;
export type SessionRow = Row<'sessions'>;
export type InboxFileRow = Row<'inbox_files'>;
/** An audit event. Names are those of the time of the event, and null after their erasure. */
export type ActivityRow = Row<'activity'>;
