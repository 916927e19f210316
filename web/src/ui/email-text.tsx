/** An e-mail address, or the name in its place, with a line break opportunity before the '@'. */
export function EmailText({ email }: { email: string }) {
  const at = email.lastIndexOf('@');
  if (at === -1) return email;
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}
