#include "apps/xml_transform/page.hpp"

#include <algorithm>
#include <map>

namespace apps::xml_transform {

const std::string_view statement_style = R"xsl(<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:strip-space elements="*"/>

<xsl:template match="/statement">
  <html>
    <head><title>Statement <xsl:value-of select="@number"/></title></head>
    <body>
      <h1><xsl:value-of select="customer"/></h1>
      <table>
        <xsl:for-each select="order">
          <xsl:sort select="@date"/>
          <tr>
            <td><xsl:value-of select="@date"/></td>
            <td><xsl:value-of select="count(line)"/></td>
            <td><xsl:call-template name="amount"><xsl:with-param name="of" select="line"/></xsl:call-template></td>
          </tr>
        </xsl:for-each>
      </table>
      <table>
        <xsl:for-each select="order/line[not(@product = preceding::line/@product)]">
          <xsl:sort select="@product"/>
          <xsl:variable name="same" select="/statement/order/line[@product = current()/@product]"/>
          <tr>
            <td><xsl:value-of select="@product"/></td>
            <td><xsl:value-of select="sum($same/@quantity)"/></td>
            <td><xsl:call-template name="amount"><xsl:with-param name="of" select="$same"/></xsl:call-template></td>
          </tr>
        </xsl:for-each>
      </table>
    </body>
  </html>
</xsl:template>

<xsl:template name="amount">
  <xsl:param name="of"/>
  <xsl:variable name="cents" select="sum($of/@cents)"/>
  <xsl:value-of select="concat(floor($cents div 100), '.', format-number($cents mod 100, '00'))"/>
</xsl:template>
</xsl:stylesheet>
)xsl";

namespace {
std::string amount(std::uint64_t cents) {
  return std::to_string(cents / 100) + "." + std::to_string(100 + cents % 100).substr(1);
}

std::string row(const std::string& first, std::uint64_t count, std::uint64_t cents) {
  return "<tr><td>" + first + "</td><td>" + std::to_string(count) + "</td><td>" + amount(cents) +
         "</td></tr>";
}

}  // namespace

std::string page_of(const statement& from) {
  struct bought {
    std::uint64_t quantity = 0, cents = 0;
  };
  std::map<std::uint32_t, bought> products;
  std::multimap<std::string, std::string> rows;  // by date; those of a day as they come
  for (const auto& order : from.orders) {
    std::uint64_t cents = 0;
    for (const auto& line : order.lines) {
      cents += line.cents;
      products[line.product].quantity += line.quantity;
      products[line.product].cents += line.cents;
    }
    rows.emplace(order.date, row(order.date, order.lines.size(), cents));
  }
  auto page =
      "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=UTF-8\"><title>Statement " +
      std::to_string(from.number) + "</title></head><body><h1>" + escaped(from.customer) + "</h1><table>";
  for (const auto& [date, text] : rows) page += text;
  page += "</table><table>";
  for (const auto& [product, all] : products)
    page += row("P" + std::to_string(1'000 + product), all.quantity, all.cents);
  return page + "</table></body></html>\n";
}

}  // namespace apps::xml_transform
