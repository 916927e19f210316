// Placeholder of the lists on the home page.
import { Card } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

/** As high as a phone, where the cards below the lists would move once these are loaded. */
export function HomeSkeleton() {
  return (
    <Card className="max-lg:min-h-dvh">
      <SkeletonList rows={6} className="p-5" rowClassName="h-14" />
    </Card>
  );
}
