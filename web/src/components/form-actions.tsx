import type { MouseEvent, ReactNode } from 'react';

import { Button } from '~/ui/button';

import { ButtonLink } from './button-link';

type FormActionsProps = {
  /** Where 'Cancelar' leads. */
  cancelTo: string;
  /** Called before the navigation, which `preventDefault` stops. */
  onCancel?: (event: MouseEvent) => void;
  /** Takes the place of 'Cancelar'. */
  cancel?: ReactNode;
  submit: string;
  pending?: boolean;
  /** Stands above the buttons. */
  children?: ReactNode;
};

/** The foot of a form on a card: 'Cancelar' and the button that sends it. */
export function FormActions({
  cancelTo,
  onCancel,
  cancel,
  submit,
  pending = false,
  children,
}: FormActionsProps) {
  return (
    <div className="border-border border-t px-5 py-4 sm:px-6">
      {children}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        {cancel ?? (
          <ButtonLink to={cancelTo} variant="secondary" {...(onCancel && { onClick: onCancel })}>
            Cancelar
          </ButtonLink>
        )}
        <Button type="submit" pending={pending}>
          {submit}
        </Button>
      </div>
    </div>
  );
}
