// Fields about the payment of a document: category, month, amount, payment line and Pix code.
import { TextField } from '~/components/form-fields';
import { TextareaField } from '~/components/more-form-fields';
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import type { FieldBinding } from '~/hooks/use-zod-form';
import { formatAmount, formatMoney } from '~/lib/money';
import { formatPaymentLine, parseAmount, parsePaymentLine, parsePix } from '~/lib/payment-codes';

import type { PaymentValues } from './payment-schema';

/** The part of a form that these fields use. */
type PaymentForm = {
  bind: (name: keyof PaymentValues) => FieldBinding;
  watch: (name: keyof PaymentValues) => string;
  getValues: (name: keyof PaymentValues) => string;
  setValue: (name: keyof PaymentValues, value: string, options: { shouldDirty: true }) => void;
};

/** The codes are checked while they are typed, and give the amount if that field is blank. */
export function PaymentFields({ form }: { form: PaymentForm }) {
  const line = form.watch('paymentLine');
  const pix = form.watch('pixCode');
  const fillAmount = (cents: number | null) => {
    if (cents === null || form.getValues('amount').trim() !== '') return;
    form.setValue('amount', formatAmount(cents), { shouldDirty: true });
  };
  const bindings = {
    amount: form.bind('amount'),
    paymentLine: form.bind('paymentLine'),
    pixCode: form.bind('pixCode'),
  };
  return (
    <>
      <div className="@container">
        <div className="grid gap-5 @md:grid-cols-2">
          <TextField
            {...form.bind('category')}
            label="Categoria"
            autoComplete="off"
            autoCapitalize="none"
            maxLength={50}
            list="categorias"
          />
          <datalist id="categorias">
            {Object.entries(CATEGORY_NAMES).map(([category, name]) => (
              <option key={category} value={category}>
                {name}
              </option>
            ))}
          </datalist>
          <TextField
            {...form.bind('referenceMonth')}
            label="Competência"
            type="month"
            placeholder="2026-10"
          />
        </div>
      </div>
      <TextField
        {...bindings.amount}
        registration={{
          ...bindings.amount.registration,
          async onBlur(event) {
            const cents = parseAmount(form.getValues('amount'));
            if (cents !== null) form.setValue('amount', formatAmount(cents), { shouldDirty: true });
            await bindings.amount.registration.onBlur(event);
          },
        }}
        label="Valor (R$)"
        inputMode="decimal"
        autoComplete="off"
        controlClassName="tabular-nums"
      />
      <TextField
        {...bindings.paymentLine}
        registration={{
          ...bindings.paymentLine.registration,
          async onBlur(event) {
            const valid = parsePaymentLine(form.getValues('paymentLine'));
            if (valid) form.setValue('paymentLine', formatPaymentLine(valid.digits), { shouldDirty: true });
            fillAmount(valid?.cents ?? null);
            await bindings.paymentLine.registration.onBlur(event);
          },
        }}
        label="Linha digitável"
        hint={describeLine(line)}
        inputMode="numeric"
        autoComplete="off"
        controlClassName="tabular-nums"
      />
      <TextareaField
        {...bindings.pixCode}
        registration={{
          ...bindings.pixCode.registration,
          async onBlur(event) {
            fillAmount(parsePix(form.getValues('pixCode'))?.cents ?? null);
            await bindings.pixCode.registration.onBlur(event);
          },
        }}
        label="Pix copia e cola"
        hint={describePix(pix)}
        rows={3}
        spellCheck={false}
        autoCapitalize="none"
        maxLength={512}
      />
    </>
  );
}

function describeLine(text: string): string {
  const digits = text.replaceAll(/[\s.-]/g, '');
  if (digits === '') return '47 ou 48 dígitos. O cliente copia o código de barras daqui.';
  const line = parsePaymentLine(text);
  if (line) return `Dígitos conferidos${describeCents(line.cents)}`;
  return digits.length < 47 ? `${digits.length} dígitos até agora` : 'Um dígito verificador não confere';
}

function describePix(text: string): string {
  if (text.trim() === '') return 'O cliente copia o Pix ou lê o QR code daqui.';
  const pix = parsePix(text);
  return pix ? `Código conferido: ${pix.merchant}${describeCents(pix.cents)}` : 'O código ainda não confere';
}

function describeCents(cents: number | null): string {
  return cents === null ? ', sem valor' : `: ${formatMoney(cents)}`;
}
