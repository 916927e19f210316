import { Skeleton, SkeletonList } from '~/ui/skeleton';

import { Example } from '../example';

export function Examples() {
  return (
    <>
      <Example title="One">
        <Skeleton className="h-8 w-48" />
      </Example>
      <Example title="List">
        <SkeletonList />
      </Example>
    </>
  );
}
