// Button that opens the camera of a phone.
import { Camera } from 'lucide-react';
import { useId } from 'react';

import { buttonClasses } from '~/ui/button';

type CameraInputProps = {
  /** Subject of the picture, for screen readers. */
  label: string;
  variant?: 'primary' | 'secondary';
  disabled?: boolean;
  onFiles: (files: File[]) => void;
};

/** Takes a picture of paper. Computers, which have no camera for it, do not show the button. */
export function CameraInput({ label, variant = 'primary', disabled = false, onFiles }: CameraInputProps) {
  const id = useId();
  return (
    <div
      className={buttonClasses(
        variant,
        'relative w-full has-focus-visible:outline-2 has-focus-visible:outline-ring has-disabled:opacity-60 pointer-fine:hidden',
      )}
    >
      <Camera size={20} aria-hidden />
      <label htmlFor={id}>
        Tirar foto<span className="sr-only">: {label}</span>
      </label>
      <input
        id={id}
        type="file"
        accept="image/*"
        capture="environment"
        disabled={disabled}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
    </div>
  );
}
