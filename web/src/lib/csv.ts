// Tables as spreadsheets write them: fields in quotes may hold anything, and Brazilian ones part them by semicolons.

/** The rows of a table, each as long as the file has it. */
export function parseCsv(text: string): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  const end = () => {
    row.push(field);
    field = '';
  };
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char !== '"') field += char;
      else if (text.charAt(at + 1) === '"') {
        field += char;
        at += 1;
      } else quoted = false;
    } else if (char === '"' && field === '') quoted = true;
    else if (char === separator) end();
    else if (char === '\n') {
      end();
      rows.push(row);
      row = [];
    } else if (char !== '\r') field += char;
  }
  if (field !== '' || row.length > 0) {
    end();
    rows.push(row);
  }
  return rows.filter((cells) => cells.some((cell) => cell !== ''));
}

/** What stands most often in the first line. */
function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const count = (separator: string) => line.split(separator).length;
  return [';', ',', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best));
}
