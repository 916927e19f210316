// @vitest-environment happy-dom
import { expect, test } from 'vitest';

import { findDroppedMarkup } from '~/features/email/editor/html';
import { findTemplateWarnings } from '~/features/email/template-variables';
import { NOTIFICATION_TRIGGERS } from '~/lib/api/database.types';

import { startingPoint } from './starting-points';

test.each(NOTIFICATION_TRIGGERS)('the ready text of %s can be saved and edited visually', (trigger) => {
  const text = startingPoint(trigger);
  expect(text).toBeDefined();
  for (const part of [text?.subject ?? '', text?.html_content ?? '']) {
    expect(findTemplateWarnings(part, trigger)).toEqual({ unknown: [], unavailable: [] });
  }
  expect(findDroppedMarkup(text?.html_content ?? '')).toEqual([]);
});
