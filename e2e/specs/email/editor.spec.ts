// The visual editor for mail templates, the preview and the test mail.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect } from '@playwright/test';

import { signInAsAdmin, test } from '../../fixtures/test.ts';
import { expectOk } from '../../helpers/api.ts';
import { seedDocument } from '../../helpers/documents.ts';
import {
  readHtml,
  htmlModeButton,
  visualModeButton,
  templatesTable,
  toolbarButton,
  typeAndSelect,
  contentField,
} from '../../helpers/templates.ts';

test.beforeEach(async ({ page, app }) => {
  await expectOk(templatesTable(app).delete().neq('name', ''));
  await signInAsAdmin(page);
});

test.describe('visual editor', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/admin/email-templates/new');
    await contentField(page).click();
  });

  test('toolbar › applies inline styles that mail programs show', async ({ page }) => {
    const cases: [tool: string, html: string][] = [
      ['Título 1', '<h1>1</h1>'],
      ['Título 2', '<h2>2</h2>'],
      ['Título 3', '<h3>3</h3>'],
      ['Negrito', '<p><strong>4</strong></p>'],
      ['Itálico', '<p><em>5</em></p>'],
      ['Sublinhado', '<p><u>6</u></p>'],
      ['Tachado', '<p><s>7</s></p>'],
      ['Citação', '<blockquote><p>8</p></blockquote>'],
      ['Lista numerada', '<ol><li><p>9</p></li></ol>'],
      ['Lista com marcadores', '<ul><li><p>10</p></li></ul>'],
      ['Aumentar recuo', '<p style="margin-left: 2em">11</p>'],
    ];
    // All tools in their fixed order.
    const offered = await page
      .getByRole('toolbar', { name: 'Formatação' })
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')));
    expect(offered).toEqual([
      ...cases.slice(0, -1).map(([name]) => name),
      'Diminuir recuo',
      'Aumentar recuo',
      'Link',
      'Imagem',
      'Vídeo',
      'Alinhamento',
      'Cor do texto',
      'Cor de fundo',
      'Limpar formatação',
    ]);
    const plain = cases.map((_, at) => `<p>${at + 1}</p>`).join('');
    await htmlModeButton(page).click();
    await contentField(page).fill(plain);
    await visualModeButton(page).click();
    for (const [at, [name]] of cases.entries()) {
      await contentField(page)
        .getByText(String(at + 1), { exact: true })
        .click({ clickCount: 3 });
      await toolbarButton(page, name).click();
    }
    expect(await readHtml(page)).toBe(cases.map(([, expected]) => expected).join(''));
    await contentField(page).getByText('11', { exact: true }).click();
    await toolbarButton(page, 'Diminuir recuo').click();
    expect(await readHtml(page)).toMatch(/<p>11<\/p>$/);
    await page.keyboard.press('ControlOrMeta+a');
    await toolbarButton(page, 'Limpar formatação').click();
    expect(await readHtml(page)).toBe(plain);

    await typeAndSelect(page, 'Olá');
    await toolbarButton(page, 'Alinhamento').click();
    await page.getByRole('menuitemradio', { name: 'Ao centro' }).click();
    await toolbarButton(page, 'Cor do texto').click();
    await page.getByRole('menuitemradio', { name: 'Vermelho' }).click();
    await toolbarButton(page, 'Cor de fundo').click();
    await page.getByRole('menuitemradio', { name: 'Amarelo' }).click();
    expect(await readHtml(page)).toBe(
      '<p style="text-align: center"><span style="color: #b3261e; background-color: #fff3a3">Olá</span></p>',
    );
    await page.keyboard.press('ControlOrMeta+a');
    await toolbarButton(page, 'Cor do texto').click();
    await page.getByRole('menuitemradio', { name: 'Sem cor' }).click();
    await toolbarButton(page, 'Alinhamento').click();
    await page.getByRole('menuitemradio', { name: 'À direita' }).click();
    expect(await readHtml(page)).toContain('<p style="text-align: right">');
    await page.keyboard.press('ControlOrMeta+a');
    await toolbarButton(page, 'Alinhamento').click();
    await page.getByRole('menuitemradio', { name: 'À esquerda' }).click();
    expect(await readHtml(page)).toBe('<p><span style="background-color: #fff3a3">Olá</span></p>');
  });

  test('toolbar › inserts links, pictures, and videos as linked pictures', async ({ page }) => {
    await typeAndSelect(page, 'Abrir');
    await toolbarButton(page, 'Link').click();
    const link = page.getByRole('dialog', { name: 'Link' });
    await expect(link.getByLabel('Endereço *')).toBeFocused();
    await link.getByLabel('Endereço *').fill('javascript:alert(1)');
    await page.keyboard.press('Enter');
    await expect(link.getByText('Informe um endereço válido')).toBeVisible();
    await link.getByLabel('Endereço *').fill('{{document.link}}');
    await link.getByRole('button', { name: 'Inserir' }).click();
    await expect(link).toBeHidden();
    await expect(contentField(page)).toBeFocused();
    expect(await readHtml(page)).toBe('<p><a href="{{document.link}}">Abrir</a></p>');

    await typeAndSelect(page, 'x');
    await page.keyboard.press('Delete');
    await toolbarButton(page, 'Imagem').click();
    const picture = page.getByRole('dialog', { name: 'Imagem' });
    // The file is deleted before the browser reads it.
    const logo = join(await mkdtemp(join(tmpdir(), 'portaria-e2e-')), 'logo.png');
    await writeFile(logo, 'nada');
    await picture.getByLabel('Ou um arquivo').setInputFiles(logo);
    await rm(dirname(logo), { recursive: true });
    await picture.getByRole('button', { name: 'Inserir' }).click();
    await expect(page.getByText('O arquivo não pôde ser lido.')).toBeVisible();
    await picture.getByLabel('Ou um arquivo').setInputFiles([]);
    await picture.getByLabel('Endereço da imagem').fill('exemplo.com.br/logo.png');
    await picture.getByLabel('Descrição').fill('Nosso logo');
    await picture.getByRole('button', { name: 'Inserir' }).click();
    await toolbarButton(page, 'Vídeo').click();
    const video = page.getByRole('dialog', { name: 'Vídeo' });
    await video.getByLabel('Endereço do vídeo *').fill('https://vimeo.com/1');
    await video.getByRole('button', { name: 'Inserir' }).click();
    await expect(video.getByText('Informe o endereço de uma imagem publicada')).toBeVisible();
    await video.getByLabel('Endereço do vídeo *').fill('https://youtu.be/abcdefghijk');
    await video.getByRole('button', { name: 'Inserir' }).click();
    await expect(video).toBeHidden();
    expect(await readHtml(page)).toBe(
      '<p><img src="https://exemplo.com.br/logo.png" alt="Nosso logo" style="max-width: 100%; height: auto">' +
        '<a href="https://youtu.be/abcdefghijk"><img src="https://img.youtube.com/vi/abcdefghijk/hqdefault.jpg" alt="Assistir ao vídeo" style="max-width: 100%; height: auto"></a></p>',
    );
  });

  test('keeps the HTML that mails commonly use', async ({ page }) => {
    const mail =
      '<div align="center" style="padding: 16px; background: #fff"><table width="100%" bgcolor="#eeeeee" cellpadding="0" role="presentation"><thead><tr><th colspan="2">Resumo</th></tr></thead><tbody><tr><td valign="top" style="padding: 4px; mso-line-height-rule: exactly">Fatura</td><td align="right"><p style="margin: 0">R$ 10</p></td></tr></tbody></table></div>' +
      '<ul><li>um<ul><li>dois</li></ul></li></ul><hr><p><a target="_blank" href="https://a.com" style="display: inline-block; padding: 8px">Abrir</a><br>fim</p><p><br></p><h4>Rodapé</h4>';
    await htmlModeButton(page).click();
    await contentField(page).fill(mail);
    await visualModeButton(page).click();
    await expect(page.getByRole('alertdialog')).toBeHidden();
    await contentField(page).getByText('Rodapé').click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await htmlModeButton(page).click();
    await expect(contentField(page)).toHaveValue(mail.replace('Rodapé', 'Rodapé!'));
  });

  test.describe('with a foreign style sheet', () => {
    test.use({ foreignStyles: true });

    test('lists the HTML that it cannot keep', async ({ page }) => {
      await htmlModeButton(page).click();
      await contentField(page).fill(
        '<style>p{color:red}</style><p id="a">Olá <sup>2</sup></p><video src="v.mp4"></video><form><input></form>',
      );
      await visualModeButton(page).click();
      const question = page.getByRole('alertdialog');
      await expect(question.getByRole('listitem')).toHaveText([
        '<style>',
        'id em <p>',
        '<sup>',
        '<video>',
        'src em <video>',
        '<form>',
        '<input>',
      ]);
    });

    test('converts content pasted from Word and refuses large pictures', async ({ page }) => {
      const word = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head>
        <body><!--StartFragment--><p class="MsoNormal" style="mso-margin-top-alt:auto"><b><span lang="PT" style="mso-bidi-font-size:11pt;color:red">Prezado</span></b><o:p></o:p></p>
        <p class="MsoListParagraph" style="text-indent:-18pt;mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">·<span>&nbsp; </span></span>um</p>
        <p class="MsoListParagraph" style="text-indent:-18pt;mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">·<span>&nbsp; </span></span>dois</p>
        <table class="MsoTableGrid"><tr><td style="border:solid windowtext 1.0pt"><p class="MsoNormal">a</p></td></tr></table>
        <img src="file:///C:/a.png"><img src="data:image/png;base64,${'A'.repeat(3_000_000)}"><p class="MsoNormal">Fim</p><!--EndFragment--></body></html>`;
      await contentField(page).evaluate((element, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', text);
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      }, word);
      await expect(page.getByText('Imagem recusada')).toBeVisible();
      expect(await readHtml(page)).toBe(
        '<p><strong><span style="color:red">Prezado</span></strong></p><ul><li>um</li><li>dois</li></ul><table><tbody><tr><td><p>a</p></td></tr></tbody></table><p>Fim</p>',
      );
      await contentField(page).evaluate((element) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([new Uint8Array(200_000)], 'foto.png', { type: 'image/png' }));
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      });
      await expect(page.getByText('Ela tem 195,3 kB, e o limite é 73 kB')).toBeVisible();
    });
  });

  test('is operated by keyboard', async ({ page }) => {
    await page.keyboard.type('Olá');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('ControlOrMeta+b');
    await expect(toolbarButton(page, 'Negrito')).toHaveAttribute('aria-pressed', 'true');
    await page.keyboard.press('Alt+F10');
    await expect(toolbarButton(page, 'Título 1')).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(contentField(page)).toBeFocused();
    expect(await readHtml(page)).toBe('<h2><strong>Olá</strong></h2>');
    // The toolbar is one tab stop. Tab leads from it into the text, and from the text to the next control.
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('Tab');
    await expect(contentField(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Cancelar' })).toBeFocused();
  });
});

test.describe('preview', () => {
  test('shows the mail with sample or real data at phone width and runs no scripts', async ({
    page,
    app,
  }) => {
    const person = await app.newClient('Rosa Prévia');
    await seedDocument(app, person, { name: 'Guia de novembro' });
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Gatilho do Evento').selectOption('Nova fatura');
    await page.getByLabel('Assunto do Email').fill('Para {{client.name}}');
    await htmlModeButton(page).click();
    await contentField(page).fill(
      '<p onclick="alert(1)">Documento: {{document.name}}</p><script>parent.document.title = "x"</script>',
    );
    const frame = page.frameLocator('iframe[title="E-mail"]');
    await expect(frame.getByText('Documento:')).toBeVisible();
    const removed = page.getByText('Ao enviar, será removido:');
    await expect(removed).toContainText('script');
    await expect(removed).toContainText('onclick');
    await expect(page.locator('iframe[title="E-mail"]')).toHaveAttribute('sandbox', '');
    await page.getByRole('combobox', { name: 'Cliente' }).fill('Rosa Prévia');
    await page.getByRole('option', { name: /Rosa Prévia/ }).click();
    await page.getByLabel('Documento', { exact: true }).selectOption('Guia de novembro');
    await expect(page.getByText('Para Rosa Prévia')).toBeVisible();
    await expect(frame.getByText('Documento: Guia de novembro')).toBeVisible();
    await page.getByRole('button', { name: 'Celular' }).click();
    await expect
      .poll(async () => (await page.locator('iframe[title="E-mail"]').boundingBox())?.width)
      .toBeLessThanOrEqual(390);
  });

  test('follows the typing beside the form, at the width of a computer and in a dark window', async ({
    page,
  }) => {
    // The frame's color scheme decides, not an emulated one.
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/admin/email-templates/new');
    await page.getByLabel('Gatilho do Evento').selectOption('Nova fatura');
    await contentField(page).fill('Bom dia');
    const frame = page.frameLocator('iframe[title="E-mail"]');
    const card = frame.locator('.card');
    await expect(card).toHaveText('Bom dia');
    await contentField(page).pressSequentially(', {{client.name}}');
    await expect(card).toHaveText('Bom dia, Cliente de exemplo');
    await expect(page.locator('iframe[title="E-mail"]')).toBeInViewport({ ratio: 0.5 });
    await expect(contentField(page)).toBeInViewport({ ratio: 0.5 });
    // A mail of this width has the padding of wide windows.
    await expect(card).toHaveCSS('padding-left', '32px');
    await page.getByRole('button', { name: 'Celular' }).click();
    await expect(card).toHaveCSS('padding-left', '20px');
    await expect(card).toHaveCSS('background-color', 'rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Escuro' }).click();
    await expect(card).toHaveCSS('background-color', 'rgb(26, 31, 37)');
    await typeAndSelect(page, 'Colorido');
    await toolbarButton(page, 'Cor do texto').click();
    await page.getByRole('menuitemradio', { name: 'Vermelho' }).click();
    await expect(page.getByText('o e-mail fica claro também no modo escuro')).toBeVisible();
  });
});
