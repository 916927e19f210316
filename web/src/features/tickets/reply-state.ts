/** The state of a navigation that leads to the reply of a ticket. */
export const REPLY_STATE = 'reply';
