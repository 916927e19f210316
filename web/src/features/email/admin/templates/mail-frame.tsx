// Frame that shows a rendered e-mail as a computer or a phone does.
import { useElementWidth } from '~/hooks/use-element-width';
import { cn } from '~/ui/cn';

export type MailWidth = 'desktop' | 'phone';

/** Width of the window in which a phone shows a mail, in CSS pixels. */
const PHONE_WIDTH = 390;
/** Range of the width of the window in which a computer shows a mail, in CSS pixels. */
const DESKTOP_WIDTH = { min: 640, max: 800 };

type MailFrameProps = { html: string; width: MailWidth; isDark: boolean; className?: string };

/** The mail keeps the width of the device. In a narrower place it is shown smaller. */
export function MailFrame({ html, width, isDark, className }: MailFrameProps) {
  const [place, available] = useElementWidth<HTMLDivElement>();
  const shown =
    width === 'phone'
      ? PHONE_WIDTH
      : Math.min(DESKTOP_WIDTH.max, Math.max(DESKTOP_WIDTH.min, Math.floor(available)));
  const scale = available === 0 ? 1 : Math.min(1, available / shown);
  return (
    <div ref={place} className={cn('overflow-hidden', className)}>
      <iframe
        title="E-mail"
        // The sandbox disables scripts, forms and navigation.
        sandbox=""
        srcDoc={html}
        style={{
          // The style sheet of the mail follows the color scheme of its frame.
          colorScheme: isDark ? 'dark' : 'light',
          width: shown,
          height: `${100 / scale}%`,
          transform: `scale(${scale})`,
        }}
        className="mx-auto block max-w-none origin-top-left bg-white"
      />
    </div>
  );
}
