// Progress bar.
type ProgressBarProps = {
  label: string;
  /** From 0 to 1. */
  value: number;
  className?: string;
};

export function ProgressBar({ label, value, className }: ProgressBarProps) {
  const percent = Math.round(value * 100);
  return (
    <div className={className}>
      <p aria-hidden className="mb-2 flex justify-between text-sm tabular-nums">
        <span>{label}</span>
        <span className="text-muted-foreground">{percent}%</span>
      </p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="bg-border h-2 overflow-hidden rounded-full"
      >
        <div
          className="bg-primary h-full origin-left rounded-full transition-transform ease-linear"
          style={{ transform: `scaleX(${value})` }}
        />
      </div>
    </div>
  );
}
