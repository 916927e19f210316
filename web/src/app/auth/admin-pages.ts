// Authorization of navigations within the back office. It is loaded with the back office only.
import { type MiddlewareFunction, replace } from 'react-router';

import { mayOpen, rightsOf } from '~/features/auth/rights';
import { session } from '~/features/auth/session';
import { paths } from '~/paths';

/** Redirects a member of the staff from a page of which their role has no use. */
export const requireAllowedPage: MiddlewareFunction = async ({ request }, next) => {
  const { user } = session.get();
  if (user && !mayOpen(rightsOf(user), new URL(request.url).pathname)) throw replace(paths.adminDashboard());
  await next();
};
