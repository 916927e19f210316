// State of an opening PDF: password prompt, ready or failed.
import { useEffect, useState } from 'react';

import { openPdf, type PDFDocumentProxy } from './pdf';

export type Pdf =
  | { step: 'opening' }
  | { step: 'locked'; wrong: boolean; unlock: (password: string) => void }
  | { step: 'open'; document: PDFDocumentProxy; size: { width: number; height: number } }
  | { step: 'failed' };

export function usePdf(file: Blob): Pdf {
  const [pdf, setPdf] = useState<Pdf>({ step: 'opening' });
  useEffect(() => {
    let left = false;
    const show = (next: Pdf) => {
      if (!left) setPdf(next);
    };
    const opening = openPdf(file, (answer, wrong) => {
      const unlock = (password: string) => {
        show({ step: 'opening' });
        answer(password);
      };
      show({ step: 'locked', wrong, unlock });
    });
    const measure = async () => {
      const document = await opening.document;
      const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
      show({ step: 'open', document, size: { width, height } });
    };
    measure().catch(() => show({ step: 'failed' }));
    return () => {
      left = true;
      opening.close();
    };
  }, [file]);
  return pdf;
}
