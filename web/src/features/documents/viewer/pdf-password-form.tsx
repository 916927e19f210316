// Password form for protected PDF files.
import { LockKeyhole } from 'lucide-react';
import { useState } from 'react';

import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { PasswordInput } from '~/ui/password-input';

type PdfPasswordFormProps = { wrong: boolean; onUnlock: (password: string) => void };

/** Asks for the password of a protected file. The password stays in the browser. */
export function PdfPasswordForm({ wrong, onUnlock }: PdfPasswordFormProps) {
  const [password, setPassword] = useState('');
  const [edited, setEdited] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (password !== '') onUnlock(password);
      }}
      className="bg-muted flex min-h-80 flex-col items-center justify-center gap-4 p-6 text-center"
    >
      <LockKeyhole size={40} aria-hidden className="text-primary" />
      <div className="max-w-sm">
        <h2 className="text-lg">Este documento é protegido por senha</h2>
        <p className="text-muted-foreground mt-1 text-sm">
          Digite a senha do arquivo para abri-lo. Ela não sai deste dispositivo.
        </p>
      </div>
      <Field
        label="Senha do arquivo"
        required
        error={wrong && !edited ? 'A senha do arquivo está incorreta.' : undefined}
        className="w-full max-w-xs text-left"
      >
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="off"
            value={password}
            onChange={(event) => {
              setPassword(event.target.value);
              setEdited(true);
            }}
          />
        )}
      </Field>
      <Button type="submit" className="w-full max-w-xs">
        Abrir documento
      </Button>
    </form>
  );
}
