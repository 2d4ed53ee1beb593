import * as z from 'zod';
import { baseUrl, duration, filePath, ipAddress, needsRestart, port, section } from '../fields.ts';

/** The operator's page and its API (docs/operator-page.md). */
export const ui = needsRestart(
  section({
    enabled: z.boolean().default(false).describe("Serve the operator's page and its API."),
    host: ipAddress
      .default('127.0.0.1')
      .describe(
        'IP address of the page. Other than loopback needs `ui.tls`, `ui.public_url`, and a sign-in other than by password.',
      ),
    port: port.default(9091).describe('Port of the page.'),
    public_url: baseUrl
      .optional()
      .describe(
        'URL of the page as browsers reach it, if a proxy stands in front or `ui.host` is not loopback. Requests for any other host are refused.',
      ),
    tls: section({
      cert_file: filePath.optional().describe('PEM certificate chain of the page, leaf first.'),
      key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
    }).prefault({}),
    session: section({
      idle: duration('30m').describe('A session ends when it was not used for so long.'),
      absolute: duration('12h').describe('A session ends after so long, however much it is used.'),
    }).prefault({}),
  })
    .prefault({})
    .describe("The operator's page. See docs/operator-page.md."),
);
