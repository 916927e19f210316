-- The profile of the office. One row, which exists from the start; NULL: not set.
CREATE TABLE office_settings (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT,
    logo TEXT, -- a PNG as a data URL
    color TEXT, -- #rrggbb, on light grounds
    dark_color TEXT, -- the same color on dark grounds
    phone TEXT,
    whatsapp TEXT, -- digits with country code
    email TEXT,
    address TEXT,
    opening_hours TEXT NOT NULL DEFAULT '[]', -- JSON: periods of weekdays
    holidays TEXT NOT NULL DEFAULT '[]', -- JSON: days off besides the national holidays
    welcome_text TEXT,
    mail_footer TEXT,
    mail_sender_name TEXT,
    updated_at TEXT NOT NULL,
    CONSTRAINT office_settings_id_check CHECK (id = 'office')
);

INSERT INTO office_settings (id, updated_at) VALUES ('office', '2026-01-01T00:00:00.000000+00:00');
