// Placeholder of the lists on the home page.
import { Card } from '~/ui/card';
import { SkeletonList } from '~/ui/skeleton';

/** On phones as high as the screen, so that the cards below it are out of sight until the lists are loaded. */
export function HomeSkeleton() {
  return (
    <Card className="max-lg:min-h-dvh">
      <SkeletonList rows={6} className="p-5" rowClassName="h-14" />
    </Card>
  );
}
