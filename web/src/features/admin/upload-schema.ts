import { z } from 'zod';

export type UploadValues = {
  clientId: string;
  folderId: string;
  file: File | null;
  documentName: string;
  documentType: string;
  expiresAt: string;
};

export const blankUpload: UploadValues = {
  clientId: '',
  folderId: '',
  file: null,
  documentName: '',
  documentType: '',
  expiresAt: '',
};

export const uploadSchema = z.object({
  clientId: z.string().min(1, 'Cliente é obrigatório.'),
  folderId: z.string().min(1, 'Pasta é obrigatória.'),
  file: z.custom<File | null>((file) => file instanceof File, 'Arquivo é obrigatório.'),
  documentName: z.string().trim().min(1, 'Nome do documento é obrigatório.'),
  documentType: z.string().trim(),
  expiresAt: z.literal('').or(z.iso.date('Data inválida')),
});

/** `10MB`, as the upload hint writes it. */
export function limitLabel(bytes: number): string {
  const megabytes = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 }).format(bytes / 1024 ** 2);
  return `${megabytes}MB`;
}

/** What is wrong with a file before a byte of it is sent; nothing when it may go. */
export function faultOf(file: File, maxBytes: number): string | undefined {
  if (file.size > maxBytes) return `O arquivo excede o limite de ${limitLabel(maxBytes)}.`;
  if (file.size === 0) return 'O arquivo está vazio.';
  return undefined;
}
