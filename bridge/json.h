// Text of JSON, for what Python gets through ctypes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

namespace bridge {

inline std::string json_string(const std::string& text) {
  std::string json = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      json += c;
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", c);
    json += escape;
  }
  return json + "\"";
}

struct JsonNumber {
  std::string text;
  template <typename T>
  JsonNumber(T value) : text(std::to_string(value)) {}
};

inline std::string json_object(std::initializer_list<std::pair<const char*, JsonNumber>> members) {
  std::string json = "{";
  for (const auto& [name, number] : members) json += (json.size() > 1 ? ", \"" : "\"") + std::string(name) + "\": " + number.text;
  return json + "}";
}

}  // namespace bridge
