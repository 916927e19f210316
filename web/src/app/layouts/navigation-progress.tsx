// Progress bar of navigations.
import { useNavigation } from 'react-router';

/** A line at the top of the window. A delay hides it during fast navigations. */
export function NavigationProgress() {
  const busy = useNavigation().state === 'loading';
  return (
    <div
      aria-hidden
      className={
        busy
          ? 'pointer-events-none fixed inset-x-0 top-0 z-60 h-0.5 overflow-hidden opacity-100 transition-opacity delay-200'
          : 'pointer-events-none fixed inset-x-0 top-0 z-60 h-0.5 overflow-hidden opacity-0'
      }
    >
      <div className="bg-primary h-full w-1/3 animate-[sweep_1s_linear_infinite]" />
    </div>
  );
}
